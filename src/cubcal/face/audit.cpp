#include "cubcal/audit.h"

#include "cubcal/audit/audit.h"

namespace cubcal {

namespace {

AuditOptions audit_options(const SubgroupOptions& options) {
  AuditOptions audit;
  audit.bootstrap = {options.replicates, options.confidence, options.seed};
  audit.permutations = options.permutations;
  audit.alarm_rate = options.alarm_rate;
  audit.fewest = options.fewest;
  audit.refer_above = options.refer_above;
  audit.cuts = options.cuts;
  audit.tested = options.tested;
  return audit;
}

SubgroupResult subgroup_result(const Audit& audit, const std::string& column,
                               const GroupAudit& group) {
  SubgroupResult result{column, group.value, group.samples, group.units, {}};
  if (!group.is_compared) return result;
  for (std::size_t i = 0; i < audit.labels.size(); ++i) {
    const MetricLabel& label = audit.labels[i];
    const AuditGap& gap = group.gaps[i];
    SubgroupValue value;
    value.key = label.key;
    value.label = label.label;
    value.better = label.better;
    value.value = group.values[i];
    value.rest = group.rest[i];
    value.gap = gap.gap;
    if (gap.interval) {
      value.low = gap.interval->low;
      value.high = gap.interval->high;
    }
    if (gap.test) {
      value.p = gap.test->p;
      value.corrected_p = gap.test->corrected;
    }
    value.found = audit.is_found(gap);
    result.values.push_back(std::move(value));
  }
  return result;
}

}  // namespace

const SubgroupValue& SubgroupResult::operator[](const std::string& key) const {
  std::string keys;
  for (const SubgroupValue& each : values) {
    if (each.key == key) return each;
    keys += (keys.empty() ? "" : ", ") + each.key;
  }
  if (values.empty()) {
    throw ArgumentError("'" + value + "' of " + column + " has no values: its " +
                        std::to_string(units) + " patients or samples, or the rest, are too few");
  }
  throw ArgumentError("there is no value '" + key + "': there are " + keys);
}

SubgroupReport audit_columns(const Predictive& predictive, const std::vector<std::int64_t>& labels,
                             const std::vector<SampleColumn>& columns,
                             const SubgroupOptions& options) {
  MetricOptions metrics;
  metrics.uncertainty_threshold = options.uncertainty_threshold;
  const SampleFacts facts = sample_facts(predictive, labels, metrics);
  const Audit audit = audit_subgroups(facts, columns, options.groups, {}, audit_options(options));
  SubgroupReport report;
  report.tests = audit.tests;
  for (const ColumnAudit& column : audit.columns) {
    for (const GroupAudit& group : column.groups) {
      report.subgroups.push_back(subgroup_result(audit, column.column, group));
    }
  }
  for (const SkippedColumn& each : audit.skipped) report.skipped.push_back(each.reason);
  return report;
}

}  // namespace cubcal
