#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cubcal/counted_share.h"
#include "cubcal/error.h"
#include "cubcal/predictive.h"

/// A model in use, watched without labels. docs/monitor.md says how alarms keep their rate.
namespace cubcal {

struct WatchOptions {
  double refer_above = 0.325;       ///< U above which an answer is referred, nats
  double alarm_rate = 0.05;         ///< chance of any alarm in all periods where nothing drifts
  std::size_t planned_periods = 0;  ///< that will come in all; 0: as many as are given
  std::size_t permutations = 9999;  ///< behind the p-values, at most
  double confidence = 0.95;         ///< of the intervals
  std::uint64_t seed = 0;           ///< of the permutations
};

/// What a model said in one period.
struct WatchedAnswers {
  std::string name;
  Predictive predictive;
  /// Whom each answer is about: answers of one group stay together. Empty: each by itself.
  std::vector<std::string> groups = {};
  std::vector<std::uint8_t> outside = {};  ///< 1: out of scope; empty: nothing looked for that
  std::vector<std::int64_t> labels = {};   ///< -1: not known; empty: none is
};

struct DriftFinding {
  std::string key;  ///< "classes", "confidence", "uncertainty", "referral" or "out_of_scope"
  std::string title;
  double statistic = 0;
  double p = 1;
  bool alarm = false;
};

struct WatchedPeriod {
  std::string name;
  std::size_t answers = 0;
  std::vector<CountedShare> classes;  ///< answers of each class
  CountedShare referral;
  std::optional<CountedShare> outside;
  std::optional<double> expected_accuracy;  ///< mean confidence; nothing of no answers
  std::optional<double> expected_low;  ///< of the accuracy on these answers, if confidence is right
  std::optional<double> expected_high;
  std::optional<CountedShare> actual;  ///< accuracy on those with a label
  std::vector<DriftFinding> tests;     ///< none of the reference and of no answers

  bool is_alarm() const;  ///< any of the tests
};

struct WatchResult {
  WatchedPeriod reference;
  std::vector<WatchedPeriod> periods;
  double alarm_bound = 0;  ///< p at or below it is an alarm
  /// A sentence where the reference's labels contradict its confidence, so that expected accuracies
  /// are not to be believed; empty else.
  std::string warning;
};

/// Whether the answers of each period are of the same kind as those of the reference; periods are
/// in the order of time. Throws DataError for labels or classes that do not fit and for an empty
/// reference, ArgumentError for other lists that do not fit and an option outside its domain.
WatchResult watch(const WatchedAnswers& reference, const std::vector<WatchedAnswers>& periods,
                  const WatchOptions& options = {});

}  // namespace cubcal
