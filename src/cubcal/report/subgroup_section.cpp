#include "cubcal/plot/svg.h"
#include "cubcal/report/numbers.h"
#include "cubcal/report/sections.h"

namespace cubcal::report {

namespace {

std::string corrected_p(const AuditGap& gap) {
  return gap.test ? fixed(gap.test->corrected, 3) : "–";
}

std::string few_text(const Audit& audit, const GroupAudit& group) {
  const std::string units = audit.by_group ? "patient" : "image";
  const bool is_group = group.units < audit.options.fewest;
  return "too few to say: " + counted(is_group ? group.units : group.rest_units, units) +
         (is_group ? "" : " in the rest") + ", " + std::to_string(audit.options.fewest) +
         " are needed";
}

std::string overview(const Audit& audit, const ColumnAudit& column) {
  static const char* const kShown[] = {"referral", "ece", "certain_mistakes"};
  std::vector<std::string> header{column.column, "images"};
  if (audit.by_group) header.push_back("patients");
  header.insert(header.end(), {"accuracy %", "interval", "gap", "interval", "corrected p"});
  for (const char* key : kShown) {
    const MetricLabel& label = audit.labels[audit_place(key)];
    header.push_back(std::string(label.label) + (label.unit == MetricUnit::kPercent ? " %" : ""));
  }
  std::string caption = column.column + ".";
  if (column.grouping == Grouping::kQuarters) {
    caption += " Its numbers in four ranges of about as many images each.";
  }
  Table table(header, caption + " Gap: accuracy of the group minus that of the rest.");
  const std::size_t accuracy = audit_place("accuracy");
  for (const GroupAudit& group : column.groups) {
    std::vector<std::string> cells{group.value, grouped(group.samples)};
    if (audit.by_group) cells.push_back(grouped(group.units));
    if (!group.is_compared) {
      cells.push_back(few_text(audit, group));
      table.add(cells);
      continue;
    }
    const MetricInfo& info = info_of(Metric::kAccuracy);
    const AuditGap& gap = group.gaps[accuracy];
    cells.insert(
        cells.end(),
        {metric_text(info, group.values[accuracy]), interval_text(info, group.intervals[accuracy]),
         difference_text(info, gap.gap), interval_text(info, gap.interval), corrected_p(gap)});
    const std::size_t p_column = cells.size() - 1;
    for (const char* key : kShown) {
      const std::size_t place = audit_place(key);
      cells.push_back(metric_text(info_of_label(audit.labels[place]), group.values[place]));
    }
    table.add(cells, audit.is_found(gap) ? std::vector<std::size_t>{p_column - 2, p_column}
                                         : std::vector<std::size_t>{});
  }
  return table.html();
}

std::string every_gap(const Audit& audit, const ColumnAudit& column) {
  Table table({column.column, "", "group", "rest", "gap", "interval", "corrected p"},
              "Every value of each group and of the rest; found gaps are bold.");
  for (const GroupAudit& group : column.groups) {
    for (std::size_t m = 0; m < group.gaps.size(); ++m) {
      const MetricInfo info = info_of_label(audit.labels[m]);
      const AuditGap& gap = group.gaps[m];
      table.add(
          {group.value, std::string(info.label) + (info.unit == MetricUnit::kPercent ? " %" : ""),
           metric_text(info, group.values[m]), metric_text(info, group.rest[m]),
           difference_text(info, gap.gap), interval_text(info, gap.interval), corrected_p(gap)},
          audit.is_found(gap) ? std::vector<std::size_t>{4, 6} : std::vector<std::size_t>{});
    }
  }
  if (table.empty()) return {};
  return "<details><summary>Every gap by " + escaped(column.column) + "</summary>\n" +
         table.html() + "</details>\n";
}

std::string found_text(const Audit& audit) {
  std::size_t found = 0;
  for (const ColumnAudit& column : audit.columns) {
    for (const GroupAudit& group : column.groups) {
      for (const AuditGap& gap : group.gaps) found += audit.is_found(gap) ? 1 : 0;
    }
  }
  if (audit.tests == 0) return "No group is large enough to be compared with the rest.";
  return (found == 0 ? "No gap was found" : counted(found, "gap") + " found") + " among " +
         grouped(audit.tests) + " (corrected p at most " +
         plot::readable_number(audit.options.alarm_rate) + "). Intervals: 95%, " +
         "bootstrap over " + (audit.by_group ? "patients (the groups of the logits)" : "images") +
         "; p-values by shuffling the columns over them, corrected over all gaps. Referred: U "
         "above " +
         plot::readable_number(audit.options.refer_above) + " nats.";
}

}  // namespace

std::string subgroup_section(const RunResult& run) {
  if (!run.audit) {
    return section("Subgroups",
                   paragraph("The test logits carry no further columns (column_<name>), so that "
                             "nothing can be said about sites, devices or ages.",
                             "muted"));
  }
  std::string html = paragraph(found_text(*run.audit));
  for (const ColumnAudit& column : run.audit->columns) {
    html += overview(*run.audit, column) + every_gap(*run.audit, column);
  }
  for (const SkippedColumn& each : run.audit->skipped) {
    html += paragraph("Left out: " + each.reason + ".", "muted");
  }
  return section("Subgroups", html);
}

}  // namespace cubcal::report
