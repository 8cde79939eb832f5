#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cubcal/io/logits_file.h"

/// The groups that a column divides the samples into.
namespace cubcal {

struct Subgroup {
  std::string value;  ///< of the column, or a range of it: "20 to 39"
  std::vector<std::uint32_t> members;
};

enum class Grouping {
  kValues,    ///< a group for each value
  kQuarters,  ///< four ranges of about as many samples each; equal values stay together
  kCuts,      ///< ranges between stated numbers, the lower end within
  kCrossed    ///< a group for each pair (or more) of groups of several columns
};
/// "values", "quarters", "cuts", "crossed".
const char* grouping_name(Grouping grouping);

struct ColumnGroups {
  std::string column;
  Grouping grouping = Grouping::kValues;
  /// In the order of the values, as numbers where all are; samples of no value come last. Each
  /// sample is in one of them.
  std::vector<Subgroup> groups;
};

/// Rising numbers to cut a column at, by its name.
using ColumnCuts = std::map<std::string, std::vector<double>>;

/// What samples without a value (an empty text, or "nan" in any case) are called.
inline constexpr const char* kMissingValue = "(missing)";

/// Values of a column that are each a group; more of them are cut into quarters where they are
/// numbers.
inline constexpr std::size_t kMostSubgroups = 15;

/// Groups that crossed columns may make.
inline constexpr std::size_t kMostCrossedGroups = 60;

/// The groups that samples are in by all of these columns together, called "female × south", in the
/// order of the columns' own; the column is called "sex*site". Combinations that no sample has are
/// left out. Throws DataError where there are more than kMostCrossedGroups.
ColumnGroups crossed_groups(const std::vector<ColumnGroups>& parts);

/// The groups of a column: by the cuts named for it, else by value or by quarters. Throws DataError
/// where cuts are wanted of a value that is not a number, and where there are more than
/// kMostSubgroups values that are not all numbers; ArgumentError where cuts are not rising or not
/// finite.
ColumnGroups column_groups(const SampleColumn& column, const ColumnCuts& cuts = {});

}  // namespace cubcal
