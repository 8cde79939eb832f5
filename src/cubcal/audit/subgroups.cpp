#include "cubcal/audit/subgroups.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

#include "cubcal/core/check.h"
#include "cubcal/core/named_values.h"
#include "cubcal/core/parse_number.h"
#include "cubcal/io/utf8.h"

namespace cubcal {

namespace {

constexpr NamedValue<Grouping> kGroupings[] = {{"values", Grouping::kValues},
                                               {"quarters", Grouping::kQuarters},
                                               {"cuts", Grouping::kCuts},
                                               {"crossed", Grouping::kCrossed}};

using Members = std::vector<std::uint32_t>;

bool is_missing(const std::string& value) {
  const auto is = [&](std::size_t i, char lower) {
    return value[i] == lower || value[i] == lower - 'a' + 'A';
  };
  return value.empty() || (value.size() == 3 && is(0, 'n') && is(1, 'a') && is(2, 'n'));
}

std::optional<double> finite_number(const std::string& text) {
  const std::optional<double> value = parse_number(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

/// A column's samples: those of each value, and those of none.
struct SortedColumn {
  std::map<std::string, Members> by_value;
  Members missing;
  bool are_numbers = true;

  explicit SortedColumn(const SampleColumn& column) {
    for (std::size_t i = 0; i < column.values.size(); ++i) {
      const std::string& value = column.values[i];
      const auto sample = static_cast<std::uint32_t>(i);
      (is_missing(value) ? missing : by_value[value]).push_back(sample);
    }
    for (const auto& each : by_value) are_numbers = are_numbers && finite_number(each.first);
  }

  /// Samples by their numbers.
  std::vector<std::pair<double, std::uint32_t>> by_number() const {
    std::vector<std::pair<double, std::uint32_t>> numbers;
    for (const auto& [value, members] : by_value) {
      for (const std::uint32_t i : members) numbers.emplace_back(*finite_number(value), i);
    }
    std::sort(numbers.begin(), numbers.end());
    return numbers;
  }
};

std::string number_text(double value) {
  return value == std::floor(value) ? to_text(value) : significant(value, 4);
}

std::vector<Subgroup> groups_by_value(const SortedColumn& column) {
  std::vector<Subgroup> groups;
  for (const auto& [value, members] : column.by_value) groups.push_back({value, members});
  if (column.are_numbers) {
    std::stable_sort(groups.begin(), groups.end(), [](const Subgroup& a, const Subgroup& b) {
      return *finite_number(a.value) < *finite_number(b.value);
    });
  }
  return groups;
}

std::vector<Subgroup> groups_by_quarter(const SortedColumn& column) {
  constexpr std::size_t kRanges = 4;
  const auto numbers = column.by_number();
  std::vector<Subgroup> groups;
  for (std::size_t first = 0, r = 1; first < numbers.size(); ++r) {
    std::size_t last = std::max(first + 1, numbers.size() * std::min(r, kRanges) / kRanges);
    while (last < numbers.size() && numbers[last].first == numbers[last - 1].first) ++last;
    Subgroup group{
        number_text(numbers[first].first) + " to " + number_text(numbers[last - 1].first), {}};
    for (std::size_t i = first; i < last; ++i) group.members.push_back(numbers[i].second);
    std::sort(group.members.begin(), group.members.end());
    groups.push_back(std::move(group));
    first = last;
  }
  return groups;
}

std::vector<Subgroup> groups_by_cuts(const SortedColumn& column, const std::vector<double>& cuts) {
  std::vector<Subgroup> groups{{"below " + number_text(cuts.front()), {}}};
  for (std::size_t c = 0; c + 1 < cuts.size(); ++c) {
    groups.push_back({number_text(cuts[c]) + " to below " + number_text(cuts[c + 1]), {}});
  }
  groups.push_back({number_text(cuts.back()) + " and above", {}});
  for (const auto& [number, sample] : column.by_number()) {
    const auto range = std::upper_bound(cuts.begin(), cuts.end(), number) - cuts.begin();
    groups[static_cast<std::size_t>(range)].members.push_back(sample);
  }
  for (Subgroup& group : groups) std::sort(group.members.begin(), group.members.end());
  return groups;
}

void check_cuts(const std::string& name, const std::vector<double>& cuts) {
  if (cuts.empty()) throw ArgumentError("the column '" + name + "' is to be cut at no number");
  for (std::size_t c = 0; c < cuts.size(); ++c) {
    check_finite("a number to cut at", cuts[c]);
    if (c == 0 || cuts[c] > cuts[c - 1]) continue;
    throw ArgumentError("the numbers to cut the column '" + name + "' at must rise, but " +
                        to_text(cuts[c]) + " follows " + to_text(cuts[c - 1]));
  }
}

[[noreturn]] void refuse_text(const std::string& name, const SortedColumn& column) {
  const auto text = std::find_if(column.by_value.begin(), column.by_value.end(),
                                 [](const auto& each) { return !finite_number(each.first); });
  throw DataError("the column '" + name + "' cannot be cut at numbers: it holds " +
                  in_quotes(text->first) + ", which is not a number");
}

}  // namespace

const char* grouping_name(Grouping grouping) { return name_of(kGroupings, grouping); }

ColumnGroups column_groups(const SampleColumn& column, const ColumnCuts& cuts) {
  const SortedColumn sorted(column);
  ColumnGroups result;
  result.column = column.name;
  const auto own = cuts.find(column.name);
  if (own != cuts.end()) {
    check_cuts(column.name, own->second);
    if (!sorted.are_numbers) refuse_text(column.name, sorted);
    result.grouping = Grouping::kCuts;
    result.groups = groups_by_cuts(sorted, own->second);
  } else if (sorted.by_value.size() <= kMostSubgroups) {
    result.groups = groups_by_value(sorted);
  } else if (sorted.are_numbers) {
    result.grouping = Grouping::kQuarters;
    result.groups = groups_by_quarter(sorted);
  } else {
    throw DataError("the column '" + column.name + "' has " +
                    std::to_string(sorted.by_value.size()) +
                    " values that are not all numbers, and at most " +
                    std::to_string(kMostSubgroups) + " groups are compared");
  }
  if (!sorted.missing.empty()) result.groups.push_back({kMissingValue, sorted.missing});
  return result;
}

ColumnGroups crossed_groups(const std::vector<ColumnGroups>& parts) {
  ColumnGroups crossed = parts.front();
  crossed.grouping = Grouping::kCrossed;
  for (std::size_t p = 1; p < parts.size(); ++p) {
    crossed.column += "*" + parts[p].column;
    std::vector<Subgroup> groups;
    for (const Subgroup& first : crossed.groups) {
      for (const Subgroup& second : parts[p].groups) {
        Subgroup both{first.value + " × " + second.value, {}};
        std::set_intersection(first.members.begin(), first.members.end(), second.members.begin(),
                              second.members.end(), std::back_inserter(both.members));
        if (!both.members.empty()) groups.push_back(std::move(both));
      }
    }
    crossed.groups = std::move(groups);
  }
  if (crossed.groups.size() > kMostCrossedGroups) {
    throw DataError("the columns '" + crossed.column + "' make " +
                    std::to_string(crossed.groups.size()) + " groups, and at most " +
                    std::to_string(kMostCrossedGroups) + " are compared");
  }
  return crossed;
}

}  // namespace cubcal
