#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cubcal/dataset/catalog.h"
#include "cubcal/inspection/association.h"
#include "cubcal/inspection/duplicates.h"
#include "cubcal/inspection/image_facts.h"

/// What is wrong with a data set, or worth knowing before training on it.
namespace cubcal {

enum class Severity {
  kLeak,     ///< test images are known from training: results would be too good to be true
  kWarning,  ///< results may not mean what they seem to
  kNote      ///< worth knowing
};

/// "leak", "warning", "note".
const char* severity_name(Severity severity);

/// In the order in which findings of one severity are told.
enum class FindingKind {
  kLeftOut,
  kUnreadable,
  kIdenticalAcrossSplits,
  kNearAcrossSplits,
  kGroupAcrossSplits,
  kIdenticalUnderLabels,
  kNearUnderLabels,
  kIdenticalWithOutliers,
  kNearWithOutliers,
  kGroupWithOutliers,
  kIdenticalAcrossGroups,
  kLabelsAlike,
  kSplitsAlike,
  kNoSplit,
  kTellingColumn,
  kEnlarged,
  kConstant,
  kMissingClass,
  kLabelGap,  ///< numbers below the largest label that no row has
  kImbalance,
  kIdentical,
  kNear,
  kMixedSizes,
  kMixedColour,
  kMixedDepth,
  kGrayAsRgb,
  kTurned,
  kUnusedRange
};

/// "identical_across_splits": for JSON.
const char* finding_name(FindingKind kind);

struct Finding {
  Severity severity;
  FindingKind kind;
  std::string sentence;
  /// The images concerned: sets that belong together, or one set of single images.
  std::vector<SampleList> sets = {};
  std::optional<Association> table = {};  ///< of kTellingColumn
  std::vector<NearPair> pairs = {};       ///< of kNear
  std::vector<std::string> lines = {};    ///< what it is about, where that is not an image
};

struct ExamineOptions {
  NearOptions near = {};
  double imbalance = 5;  ///< warned of where the largest class has so many times the smallest
};

/// Everything found, leaks first. `facts` has one entry per sample. Splits are train, val, test and
/// whatever else has a name; images, near-duplicates and groups that lie in two of them are leaks.
/// Outliers (kOutlierSplit) are no split in this sense: what they share with the others is a
/// warning.
std::vector<Finding> examine(const Catalog& catalog, const std::vector<ImageFacts>& facts,
                             const ExamineOptions& options = {});

bool has_leak(const std::vector<Finding>& findings);

}  // namespace cubcal
