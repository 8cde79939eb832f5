#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

/// Checklists that journals and regulators ask for, filled with what records prove. Items are
/// numbered as published; their words are ours.
namespace cubcal::checklist {

/// What is known of a model, in groups that items ask for.
enum class Topic {
  kModel,        ///< network, layers, input, passes
  kOutput,       ///< what it gives for an image
  kIntendedUse,  ///< what it is for
  kTraining,     ///< stages, epochs, choice of the best
  kSeeds,        ///< runs and their seeds
  kSoftware,     ///< programs, versions, devices
  kData,         ///< names and hashes of data and logits
  kPartitions,   ///< how many images are in which set, and that sets share no patients
  kClassCounts,  ///< images of each class
  kMetrics,      ///< which numbers are given, by which convention
  kStatistics,   ///< how intervals and p-values were found
  kPerformance,  ///< numbers with their intervals
  kClasses,      ///< the same class by class
  kCalibration,  ///< how honest confidence and uncertainty are
  kReferral,     ///< what is referred to a person, and at which threshold
  kSubgroups,    ///< gaps between groups of patients
  kOutliers,     ///< images of no class
  kFailures,     ///< mistakes, and with what certainty they were made
  kComparison,   ///< against other methods
  kBenefit,      ///< what decisions are worth
  kPrevalence,   ///< other shares of classes
  kLimits,       ///< what the numbers do not say
};

/// Sentences about each topic; a topic of which nothing is known is not there.
using Evidence = std::map<Topic, std::vector<std::string>>;

/// One item of a published list.
struct Item {
  const char* number;  ///< as published: "12c"
  const char* part;    ///< the part of the list it stands in
  const char* asks;    ///< what it asks for
  std::vector<Topic> topics;
  const char* to_write;  ///< what no record can say; empty where records say all
};

enum class Kind { kClaim, kTripodAi, kModelCard };
inline constexpr std::array<Kind, 3> kKinds = {Kind::kClaim, Kind::kTripodAi, Kind::kModelCard};

/// "claim", "tripod-ai", "model-card".
const char* kind_name(Kind kind);
/// Nothing for any other name.
std::optional<Kind> kind_named(const std::string& name);

const std::vector<Item>& items_of(Kind kind);

/// The whole list as Markdown: every item with what is known and what a person must write, and a
/// count of both at the top. `subject` says what it is about.
std::string checklist_markdown(Kind kind, const std::string& subject, const Evidence& evidence);

}  // namespace cubcal::checklist
