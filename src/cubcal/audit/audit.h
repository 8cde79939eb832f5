#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cubcal/audit/audit_values.h"
#include "cubcal/audit/subgroups.h"
#include "cubcal/metrics/max_t.h"
#include "cubcal/metrics/resampling.h"
#include "cubcal/metrics/sample_facts.h"

/// Whether a model does as well for each group of samples as for the rest of them.
namespace cubcal {

struct AuditOptions {
  BootstrapOptions bootstrap;       ///< of the intervals; its seed is also that of the permutations
  std::size_t permutations = 1000;  ///< behind the p-values
  double alarm_rate = 0.05;         ///< chance of any gap being called one where there is none
  std::size_t fewest = 10;  ///< units on either side, without which there are too few to say
  double refer_above = kDefaultEta;  ///< U above which a sample is referred, nats
  ColumnCuts cuts = {};
  std::vector<std::string> tested = {};  ///< keys of the values whose gaps are tested; empty: all
  /// A gap of shares that would matter, in (0, 1): says whether one as large is ruled out.
  std::optional<double> margin = {};
};

/// Throws ArgumentError where a field is outside its domain.
void check_audit_options(const AuditOptions& options);

/// Whether a gap of shares (accuracy, balanced accuracy, referral, certain mistakes, out of scope)
/// as large as the margin m is ruled out.
struct MarginFinding {
  bool is_within = false;  ///< the interval lies between -m and m
  /// Where it does not and is too wide to: units of the group, the rest growing alike, at which an
  /// interval around no gap would: units (h / m)^2 with h half the width of the interval.
  std::optional<std::size_t> units_needed = {};
};

/// One value of a group minus that of the rest.
struct AuditGap {
  std::optional<double> gap;         ///< undefined where either side is
  std::optional<Interval> interval;  ///< percentile bootstrap over units
  std::optional<PermutationP> test;
  std::optional<MarginFinding> margin;  ///< where a margin is asked for and this is a share
};

struct GroupAudit {
  std::string value;
  std::size_t samples = 0;
  std::size_t units = 0;       ///< patients, or samples where none are named
  std::size_t rest_units = 0;  ///< that have samples outside the group
  bool is_compared = false;    ///< both have the fewest units or more; else the lists are empty
  AuditValues values;
  AuditValues rest;
  std::vector<std::optional<Interval>> intervals;  ///< of the values
  std::vector<AuditGap> gaps;
};

struct ColumnAudit {
  std::string column;
  Grouping grouping = Grouping::kValues;
  bool is_constant_in_units = true;
  std::vector<GroupAudit> groups;
};

struct SkippedColumn {
  std::string column;
  std::string reason;  ///< a sentence
};

struct Audit {
  AuditOptions options;
  MetricOptions metrics;
  bool by_group = false;  ///< units are groups such as patients
  std::size_t samples = 0;
  std::size_t units = 0;
  std::vector<MetricLabel> labels;  ///< of all lists of values
  AuditValues overall;
  std::vector<ColumnAudit> columns;
  std::vector<SkippedColumn> skipped;  ///< columns that make no groups
  std::size_t tests = 0;               ///< gaps that were tested, over which p-values are corrected

  /// A gap that the alarm rate lets call one.
  bool is_found(const AuditGap& gap) const {
    return gap.test && gap.test->corrected <= options.alarm_rate;
  }
};

using AuditProgress = std::function<void(std::size_t done, std::size_t of)>;

/// Values, gaps, intervals and p-values of every group of every column. `groups` names a unit for
/// each sample (its patient), or nothing; `outside` has a flag of an OOD detector for each sample,
/// or nothing.
///
/// Intervals: units are drawn with replacement from the whole file, and a group is what of them
/// belongs to it. p-values: the column is shuffled over units (column_shuffle.h), so that the
/// hypothesis is that it says nothing about answers; all values of all groups are tested together
/// (max_t.h). A shuffled group is as small as the true one: metrics that grow where samples are
/// few, as ECE does, are no gap by that.
///
/// `crosses` are columns whose groups are crossed (crossed_groups), each of them as a column of its
/// own. `progress` is told, from one thread at a time, how many resamples of all are done.
Audit audit_subgroups(const SampleFacts& facts, const std::vector<SampleColumn>& columns,
                      const std::vector<std::string>& groups,
                      const std::vector<std::uint8_t>& outside, const AuditOptions& options,
                      const std::vector<std::vector<SampleColumn>>& crosses = {},
                      const AuditProgress& progress = {});

}  // namespace cubcal
