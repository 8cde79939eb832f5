#pragma once

#include <string>
#include <vector>

#include "cubcal/metrics/metric_values.h"
#include "cubcal/metrics/sample_facts.h"
#include "cubcal/report/run_input.h"

namespace cubcal::report {

/// Samples that share a value of a column, or a range of it where it holds many numbers.
struct Subgroup {
  std::string value;
  std::vector<std::uint32_t> members;
  double accuracy = 0;
  Interval accuracy_interval{};  ///< Wilson, 95%
  double mean_confidence = 0;
  double mean_uncertainty = 0;
  double avu = 0;
  std::size_t certain_mistakes = 0;
};

struct SubgroupTable {
  std::string column;
  std::vector<Subgroup> rows;
  std::size_t small_values = 0;   ///< values of fewer than kFewestMembers samples, left out
  std::size_t small_members = 0;  ///< the samples that have one
};

inline constexpr std::size_t kFewestMembers = 10;
inline constexpr std::size_t kMostSubgroups = 15;

/// A table for each column with at least two values of kFewestMembers samples; numbers of many
/// values are cut into quarters. `skipped` gets the names of the other columns.
std::vector<SubgroupTable> subgroup_tables(const SampleFacts& facts,
                                           const std::vector<SampleColumn>& columns,
                                           std::vector<std::string>& skipped);

}  // namespace cubcal::report
