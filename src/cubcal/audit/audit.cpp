#include "cubcal/audit/audit.h"

#include <cmath>
#include <mutex>
#include <unordered_set>

#include "cubcal/audit/column_shuffle.h"
#include "cubcal/core/check.h"
#include "cubcal/core/counted.h"
#include "cubcal/core/parallel.h"

namespace cubcal {

namespace {

using Counts = std::vector<std::uint32_t>;

/// Permutations draw from other streams than the bootstrap.
constexpr std::uint64_t kFirstShuffle = std::uint64_t{1} << 32;

std::optional<double> difference(const std::optional<double>& a, const std::optional<double>& b) {
  return a && b ? std::optional<double>(*a - *b) : std::nullopt;
}

bool is_share(const MetricLabel& label) {
  for (const char* key :
       {"accuracy", "balanced_accuracy", "referral", "certain_mistakes", "out_of_scope"}) {
    if (std::string(key) == label.key) return true;
  }
  return false;
}

MarginFinding margin_finding(const Interval& interval, double margin, std::size_t units) {
  if (interval.low > -margin && interval.high < margin) return {true, {}};
  const double ratio = 0.5 * (interval.high - interval.low) / margin;
  if (ratio < 1) return {false, {}};
  return {false, static_cast<std::size_t>(std::ceil(static_cast<double>(units) * ratio * ratio))};
}

/// A group of a column that is compared with the rest of the samples.
struct Compared {
  std::size_t column;
  std::size_t group;
};

/// Both sides of a comparison.
struct Sides {
  AuditValues group;
  AuditValues rest;

  std::optional<double> gap(std::size_t place) const {
    return difference(group[place], rest[place]);
  }
};

class Auditor {
 public:
  Auditor(const SampleFacts& facts, const std::vector<std::string>& groups,
          const std::vector<std::uint8_t>& outside, const AuditOptions& options,
          const AuditProgress& progress)
      : facts_(facts), outside_(outside), options_(options), progress_(progress) {
    check_audit_options(options);
    if (!outside.empty()) check_same_size("flags", outside.size(), "labels", facts.samples);
    units_ = resampling_units(facts.samples, groups, "labels");
    audit_.options = options;
    audit_.metrics = facts.options;
    audit_.by_group = !groups.empty();
    audit_.samples = facts.samples;
    audit_.units = units_.count;
    audit_.labels = audit_labels(!outside.empty());
    audit_.overall = values_of({});
    for (const std::string& key : options.tested) {
      if (audit_place(key) < audit_.labels.size()) continue;
      throw ArgumentError("'" + key + "' cannot be tested without flags of an OOD detector");
    }
  }

  Audit result(const std::vector<SampleColumn>& columns,
               const std::vector<std::vector<SampleColumn>>& crosses) {
    for (const SampleColumn& column : columns) add({column});
    for (const std::vector<SampleColumn>& cross : crosses) add(cross);
    measure();
    bootstrap();
    test();
    return std::move(audit_);
  }

 private:
  /// A column, or several that are crossed.
  void add(const std::vector<SampleColumn>& columns) {
    std::string name;
    for (const SampleColumn& column : columns) {
      check_same_size(column.name.c_str(), column.values.size(), "labels", facts_.samples);
      name += (name.empty() ? "" : "*") + column.name;
    }
    ColumnGroups made;
    try {
      std::vector<ColumnGroups> parts;
      for (const SampleColumn& column : columns) {
        parts.push_back(column_groups(column, options_.cuts));
      }
      made = parts.size() == 1 ? std::move(parts.front()) : crossed_groups(parts);
    } catch (const DataError& error) {
      audit_.skipped.push_back({name, error.what()});
      return;
    }
    if (made.groups.size() < 2) {
      audit_.skipped.push_back({name, "the column '" + name +
                                          "' is the same for all samples, so that there is "
                                          "nothing to compare"});
      return;
    }
    ColumnAudit own;
    own.column = name;
    own.grouping = made.grouping;
    std::vector<std::uint32_t> place(facts_.samples);
    for (std::size_t g = 0; g < made.groups.size(); ++g) {
      const std::vector<std::uint32_t>& members = made.groups[g].members;
      for (const std::uint32_t i : members) place[i] = static_cast<std::uint32_t>(g);
      GroupAudit group;
      group.value = made.groups[g].value;
      group.samples = members.size();
      own.groups.push_back(std::move(group));
    }
    for (std::size_t g = 0; g < own.groups.size(); ++g) {
      GroupAudit& group = own.groups[g];
      std::unordered_set<std::uint32_t> inside;
      std::unordered_set<std::uint32_t> rest;
      for (std::size_t i = 0; i < place.size(); ++i) {
        (place[i] == g ? inside : rest).insert(units_.of_sample[i]);
      }
      group.units = inside.size();
      group.rest_units = rest.size();
      group.is_compared = group.units >= options_.fewest && group.rest_units >= options_.fewest;
      if (group.is_compared) compared_.push_back({audit_.columns.size(), g});
    }
    own.is_constant_in_units = is_constant_in_units(place, units_);
    audit_.columns.push_back(std::move(own));
    places_.push_back(std::move(place));
  }

  AuditValues values_of(const Counts& counts) const {
    return audit_values(facts_, outside_, options_.refer_above,
                        counts.empty() ? SampleCounts() : SampleCounts(counts));
  }

  /// Those of `counts` (all samples once where empty) whose place in the column is, or is not, g.
  AuditValues side_of(const std::vector<std::uint32_t>& place, std::size_t g, bool inside,
                      const Counts& counts) const {
    Counts own(place.size());
    for (std::size_t i = 0; i < own.size(); ++i) {
      own[i] = (place[i] == g) == inside ? (counts.empty() ? 1 : counts[i]) : 0;
    }
    return values_of(own);
  }

  /// Every comparison, with the columns as `places` has them.
  std::vector<Sides> all_sides(const std::vector<std::vector<std::uint32_t>>& places,
                               const Counts& counts) const {
    std::vector<Sides> sides;
    for (const Compared& each : compared_) {
      const bool is_second_of_two =
          audit_.columns[each.column].groups.size() == 2 && each.group == 1;
      if (is_second_of_two) {  // the rest of the first, which is compared as well
        sides.push_back({sides.back().rest, sides.back().group});
        continue;
      }
      const std::vector<std::uint32_t>& place = places[each.column];
      sides.push_back(
          {side_of(place, each.group, true, counts), side_of(place, each.group, false, counts)});
    }
    return sides;
  }

  GroupAudit& group_of(const Compared& each) {
    return audit_.columns[each.column].groups[each.group];
  }

  void measure() {
    const std::vector<Sides> sides = all_sides(places_, {});
    for (std::size_t c = 0; c < compared_.size(); ++c) {
      GroupAudit& group = group_of(compared_[c]);
      group.values = sides[c].group;
      group.rest = sides[c].rest;
      group.gaps.resize(audit_.labels.size());
      group.intervals.resize(audit_.labels.size());
      for (std::size_t m = 0; m < group.gaps.size(); ++m) group.gaps[m].gap = sides[c].gap(m);
    }
  }

  void bootstrap() {
    const std::size_t replicates = options_.bootstrap.replicates;
    std::vector<std::vector<Sides>> drawn(replicates);
    parallel_blocks(replicates, 1, [&](std::size_t first, std::size_t last) {
      for (std::size_t r = first; r < last; ++r) {
        SeedStream stream(options_.bootstrap.seed, r);
        drawn[r] = all_sides(places_, draw_counts(units_, stream));
        tell_progress();
      }
    });
    for (std::size_t c = 0; c < compared_.size(); ++c) {
      GroupAudit& group = group_of(compared_[c]);
      for (std::size_t m = 0; m < audit_.labels.size(); ++m) {
        std::vector<double> values;
        std::vector<double> gaps;
        for (const std::vector<Sides>& each : drawn) {
          if (each[c].group[m]) values.push_back(*each[c].group[m]);
          if (const auto gap = each[c].gap(m)) gaps.push_back(*gap);
        }
        const double level = options_.bootstrap.level;
        if (group.values[m] && !values.empty()) {
          group.intervals[m] = percentile_interval(std::move(values), level);
        }
        if (group.gaps[m].gap && !gaps.empty()) {
          group.gaps[m].interval = percentile_interval(std::move(gaps), level);
          if (options_.margin && is_share(audit_.labels[m])) {
            group.gaps[m].margin =
                margin_finding(*group.gaps[m].interval, *options_.margin, group.units);
          }
        }
      }
    }
  }

  /// The columns, each shuffled over the units as its values allow; all alike where they may be, so
  /// that columns that go together still do.
  std::vector<std::vector<std::uint32_t>> shuffled(std::size_t permutation) const {
    SeedStream stream(options_.bootstrap.seed, kFirstShuffle + permutation);
    const std::vector<std::uint32_t> unit_of = shuffled_units(units_, stream);
    const std::vector<std::uint32_t> sample_of = shuffled_samples(samples_of_unit_, stream);
    std::vector<std::vector<std::uint32_t>> places;
    for (std::size_t c = 0; c < places_.size(); ++c) {
      const std::vector<std::uint32_t>& own = places_[c];
      std::vector<std::uint32_t> place(own.size());
      for (std::size_t i = 0; i < own.size(); ++i) {
        place[i] = audit_.columns[c].is_constant_in_units
                       ? own[samples_of_unit_[unit_of[units_.of_sample[i]]].front()]
                       : own[sample_of[i]];
      }
      places.push_back(std::move(place));
    }
    return places;
  }

  /// Which values are tested.
  std::vector<bool> wanted_tests() const {
    std::vector<bool> is_wanted(audit_.labels.size(), options_.tested.empty());
    for (const std::string& key : options_.tested) is_wanted[audit_place(key)] = true;
    return is_wanted;
  }

  void test() {
    struct Tested {
      std::size_t comparison;
      std::size_t label;
    };
    const std::vector<bool> is_wanted = wanted_tests();
    std::vector<Tested> tested;
    std::vector<std::optional<double>> observed;
    for (std::size_t c = 0; c < compared_.size(); ++c) {
      const GroupAudit& group = group_of(compared_[c]);
      for (std::size_t m = 0; m < group.gaps.size(); ++m) {
        if (!is_wanted[m]) continue;
        tested.push_back({c, m});  // undefined ones too, which may be defined in shuffles
        observed.push_back(group.gaps[m].gap);
        audit_.tests += group.gaps[m].gap ? 1 : 0;
      }
    }
    if (audit_.tests == 0) return;
    samples_of_unit_ = samples_of_units(units_);
    std::vector<std::vector<std::optional<double>>> permuted(options_.permutations);
    parallel_blocks(options_.permutations, 1, [&](std::size_t first, std::size_t last) {
      for (std::size_t b = first; b < last; ++b) {
        const std::vector<Sides> sides = all_sides(shuffled(b), {});
        for (const Tested& each : tested) {
          permuted[b].push_back(sides[each.comparison].gap(each.label));
        }
        tell_progress();
      }
    });
    const std::vector<PermutationP> found = max_t_p_values(observed, permuted);
    for (std::size_t t = 0; t < tested.size(); ++t) {
      AuditGap& gap = group_of(compared_[tested[t].comparison]).gaps[tested[t].label];
      if (gap.gap) gap.test = found[t];
    }
  }

  /// That one more resample is done.
  void tell_progress() {
    if (!progress_) return;
    const std::lock_guard<std::mutex> lock(progress_mutex_);
    progress_(++done_, options_.bootstrap.replicates + options_.permutations);
  }

  const SampleFacts& facts_;
  const std::vector<std::uint8_t>& outside_;
  const AuditOptions& options_;
  const AuditProgress& progress_;
  std::mutex progress_mutex_;
  std::size_t done_ = 0;
  ResamplingUnits units_;
  std::vector<std::vector<std::uint32_t>> samples_of_unit_;
  std::vector<std::vector<std::uint32_t>> places_;  ///< of each sample among a column's groups
  std::vector<Compared> compared_;
  Audit audit_;
};

}  // namespace

void check_audit_options(const AuditOptions& options) {
  check_bootstrap_options(options.bootstrap);
  check_at_least("the number of permutations", static_cast<double>(options.permutations), 1);
  check_in_open("the alarm rate", options.alarm_rate, 0, 1);
  const std::size_t needed = fewest_permutations(options.alarm_rate);
  if (options.permutations < needed) {
    throw ArgumentError("a gap needs p at or below " + to_text(options.alarm_rate) + ", which " +
                        counted(options.permutations, "permutation") +
                        " cannot give: the option 'permutations' must be at least " +
                        std::to_string(needed));
  }
  check_at_least("the fewest units of a group", static_cast<double>(options.fewest), 2);
  check_at_least("the uncertainty above which is referred", options.refer_above, 0);
  if (options.margin) check_in_open("the margin", *options.margin, 0, 1);
  for (const std::string& key : options.tested) audit_place(key);
}

Audit audit_subgroups(const SampleFacts& facts, const std::vector<SampleColumn>& columns,
                      const std::vector<std::string>& groups,
                      const std::vector<std::uint8_t>& outside, const AuditOptions& options,
                      const std::vector<std::vector<SampleColumn>>& crosses,
                      const AuditProgress& progress) {
  return Auditor(facts, groups, outside, options, progress).result(columns, crosses);
}

}  // namespace cubcal
