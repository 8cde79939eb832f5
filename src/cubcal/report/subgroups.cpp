#include "cubcal/report/subgroups.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>

#include "cubcal/boundary/regions.h"
#include "cubcal/core/check.h"
#include "cubcal/core/parse_number.h"
#include "cubcal/plot/svg.h"
#include "cubcal/report/numbers.h"

namespace cubcal::report {

namespace {

using Members = std::map<std::string, std::vector<std::uint32_t>>;

std::optional<double> number_of(const std::string& text) {
  const std::optional<double> value = parse_number(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

Members by_value(const std::vector<std::string>& values) {
  Members members;
  for (std::size_t i = 0; i < values.size(); ++i) {
    members[values[i].empty() ? "(empty)" : values[i]].push_back(static_cast<std::uint32_t>(i));
  }
  return members;
}

/// Four ranges of about as many samples each; nothing where a value is no number. Empty fields are
/// a group of their own.
std::vector<std::pair<std::string, std::vector<std::uint32_t>>> by_quarter(
    const std::vector<std::string>& values) {
  constexpr std::size_t kRanges = 4;
  std::vector<std::pair<double, std::uint32_t>> numbers;
  std::vector<std::uint32_t> empty;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto sample = static_cast<std::uint32_t>(i);
    if (values[i].empty()) {
      empty.push_back(sample);
      continue;
    }
    const std::optional<double> number = number_of(values[i]);
    if (!number) return {};
    numbers.emplace_back(*number, sample);
  }
  std::sort(numbers.begin(), numbers.end());
  std::vector<std::pair<std::string, std::vector<std::uint32_t>>> ranges;
  for (std::size_t first = 0, r = 1; first < numbers.size(); ++r) {
    std::size_t last = std::max(first + 1, numbers.size() * std::min(r, kRanges) / kRanges);
    while (last < numbers.size() && numbers[last].first == numbers[last - 1].first) ++last;
    std::vector<std::uint32_t> members;
    for (std::size_t i = first; i < last; ++i) members.push_back(numbers[i].second);
    ranges.emplace_back(plot::readable_number(numbers[first].first) + " to " +
                            plot::readable_number(numbers[last - 1].first),
                        std::move(members));
    first = last;
  }
  if (!empty.empty()) ranges.emplace_back("(empty)", std::move(empty));
  return ranges;
}

Subgroup measured(const SampleFacts& facts, const std::string& value,
                  std::vector<std::uint32_t> members) {
  Subgroup group;
  group.value = value;
  const auto count = static_cast<double>(members.size());
  double right = 0;
  double useful = 0;
  for (const std::uint32_t i : members) {
    const bool correct = facts.correct[i] != 0;
    const AvuState state =
        avu_state(correct, facts.entropy[i], facts.options.uncertainty_threshold);
    right += correct;
    useful += state == AvuState::kAccurateCertain || state == AvuState::kInaccurateUncertain;
    if (state == AvuState::kInaccurateCertain) ++group.certain_mistakes;
    group.mean_confidence += facts.confidence[i] / count;
    group.mean_uncertainty += facts.entropy[i] / count;
  }
  group.accuracy = right / count;
  group.accuracy_interval = wilson_interval(right, count);
  group.avu = useful / count;
  group.members = std::move(members);
  return group;
}

}  // namespace

std::vector<SubgroupTable> subgroup_tables(const SampleFacts& facts,
                                           const std::vector<SampleColumn>& columns,
                                           std::vector<std::string>& skipped) {
  std::vector<SubgroupTable> tables;
  for (const SampleColumn& column : columns) {
    SubgroupTable table;
    table.column = column.name;
    const Members values = by_value(column.values);
    const auto add = [&](const std::string& value, const std::vector<std::uint32_t>& members) {
      if (members.size() >= kFewestMembers) {
        table.rows.push_back(measured(facts, value, members));
      } else {
        ++table.small_values;
        table.small_members += members.size();
      }
    };
    if (values.size() <= kMostSubgroups) {
      for (const auto& [value, members] : values) add(value, members);
    } else {
      for (const auto& [value, members] : by_quarter(column.values)) add(value, members);
    }
    if (table.rows.size() < 2) {
      skipped.push_back(column.name);
    } else {
      tables.push_back(std::move(table));
    }
  }
  return tables;
}

}  // namespace cubcal::report
