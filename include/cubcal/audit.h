#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cubcal/error.h"
#include "cubcal/predictive.h"
#include "cubcal/sample_column.h"

/// Whether a model does as well for each group of samples as for the rest. docs/audit.md says how
/// gaps are tested.
namespace cubcal {

struct SubgroupOptions {
  double uncertainty_threshold = 0.325;  ///< of AvU and of certain mistakes, nats
  double refer_above = 0.325;            ///< U above which a sample is referred, nats
  std::size_t replicates = 1000;         ///< of the bootstrap behind the intervals
  double confidence = 0.95;              ///< of the intervals
  std::size_t permutations = 1000;       ///< behind the p-values
  double alarm_rate = 0.05;              ///< chance of any gap being called one where there is none
  std::size_t fewest = 10;  ///< patients on either side, without which nothing is compared
  std::uint64_t seed = 0;   ///< of resamples and permutations
  std::vector<std::string> tested = {};  ///< keys of the values to test, as "accuracy"; empty: all
  std::map<std::string, std::vector<double>> cuts = {};  ///< of a column of numbers, by its name
  /// Whom each sample is of: samples of one group stay together. Empty: each by itself.
  std::vector<std::string> groups = {};
};

/// One value of a subgroup beside that of the rest; nothing where undefined.
struct SubgroupValue {
  std::string key;    ///< "accuracy"
  std::string label;  ///< "accuracy"
  int better = 0;     ///< 1: higher is better, -1: lower, 0: neither by itself
  std::optional<double> value;
  std::optional<double> rest;
  std::optional<double> gap;  ///< value - rest
  std::optional<double> low;  ///< bounds of the gap's interval
  std::optional<double> high;
  std::optional<double> p;            ///< of this gap alone
  std::optional<double> corrected_p;  ///< among all gaps that were tested
  bool found = false;                 ///< corrected_p is at most the alarm rate
};

struct SubgroupResult {
  std::string column;
  std::string value;  ///< of the column, or a range of it: "20 to 39"
  std::size_t samples = 0;
  std::size_t units = 0;              ///< patients, or samples where none are named
  std::vector<SubgroupValue> values;  ///< empty where there are too few to say

  /// By key. Throws ArgumentError listing the keys there are.
  const SubgroupValue& operator[](const std::string& key) const;
};

struct SubgroupReport {
  std::vector<SubgroupResult> subgroups;  ///< of all columns, in their order
  std::vector<std::string> skipped;       ///< a sentence for each column that makes no groups
  std::size_t tests = 0;                  ///< gaps over which p-values are corrected
};

/// Throws DataError where the labels do not fit the predictions, ArgumentError where columns or
/// groups do not, and for an option outside its domain.
SubgroupReport audit_columns(const Predictive& predictive, const std::vector<std::int64_t>& labels,
                             const std::vector<SampleColumn>& columns,
                             const SubgroupOptions& options = {});

}  // namespace cubcal
