#include "audit_text.h"

#include "cubcal/core/check.h"
#include "cubcal/io/csv.h"
#include "metric_options.h"
#include "number_text.h"
#include "text_table.h"

namespace cubcal::app {

namespace {

std::string level_text(const Audit& audit) {
  return significant(100 * audit.options.bootstrap.level, 6) + "% interval";
}

/// What units are called.
const char* units_name(const Audit& audit) { return audit.by_group ? "patients" : "samples"; }

std::string gap_p_text(const AuditGap& gap) {
  return gap.test ? fixed(gap.test->corrected, 4) : "–";
}

/// The values that tables for people show; all of them are in JSON and CSV.
std::vector<std::size_t> shown_values(const Audit& audit) {
  std::vector<std::size_t> shown{audit_place("accuracy"), audit_place("referral")};
  if (audit_place("out_of_scope") < audit.labels.size()) {
    shown.push_back(audit_place("out_of_scope"));
  }
  return shown;
}

std::vector<std::string> group_header(const Audit& audit) {
  std::vector<std::string> header{"samples"};
  if (audit.by_group) header.push_back("patients");
  for (const std::size_t m : shown_values(audit)) {
    header.insert(header.end(),
                  {metric_heading(audit.labels[m]), "gap", level_text(audit), "corrected p"});
    if (audit.options.margin) {
      header.push_back("within ±" + significant(100 * *audit.options.margin, 6));
    }
  }
  return header;
}

/// "too few: 6, needs 10".
std::string too_few_text(const Audit& audit, const GroupAudit& group) {
  const bool is_group = group.units < audit.options.fewest;
  return "too few" + std::string(is_group ? "" : " in the rest") + ": " +
         std::to_string(is_group ? group.units : group.rest_units) + ", needs " +
         std::to_string(audit.options.fewest);
}

/// "yes", "no" of a gap that was found, else how many units it would take to say, or that the
/// interval is narrow enough and still holds the margin.
std::string margin_text(const Audit& audit, const AuditGap& gap) {
  if (!gap.margin) return "–";
  if (gap.margin->is_within) return "yes";
  if (audit.is_found(gap)) return "no";
  if (!gap.margin->units_needed) return "not ruled out";
  return "too few: about " + std::to_string(*gap.margin->units_needed) + " needed";
}

/// The columns within_margin and units_needed of CSV.
std::vector<std::string> exact_margin(const AuditGap& gap) {
  if (!gap.margin) return {"", ""};
  return {gap.margin->is_within ? "yes" : "no",
          gap.margin->units_needed ? std::to_string(*gap.margin->units_needed) : ""};
}

std::vector<std::string> group_cells(const Audit& audit, const GroupAudit& group) {
  std::vector<std::string> cells{std::to_string(group.samples)};
  if (audit.by_group) cells.push_back(std::to_string(group.units));
  for (const std::size_t m : shown_values(audit)) {
    if (!group.is_compared) {
      const bool is_first = m == shown_values(audit).front();
      cells.insert(cells.end(), {"–", "–", is_first ? too_few_text(audit, group) : "–", "–"});
      if (audit.options.margin) cells.push_back("–");
      continue;
    }
    const MetricUnit unit = audit.labels[m].unit;
    const AuditGap& gap = group.gaps[m];
    cells.insert(cells.end(), {metric_text(unit, group.values[m]), difference_text(unit, gap.gap),
                               interval_text(unit, gap.interval), gap_p_text(gap)});
    if (audit.options.margin) cells.push_back(margin_text(audit, gap));
  }
  return cells;
}

std::string grouping_text(const ColumnAudit& column) {
  switch (column.grouping) {
    case Grouping::kQuarters: return ", numbers in quarters of about as many samples";
    case Grouping::kCuts: return ", numbers cut as asked, the lower end within";
    case Grouping::kCrossed: return ", the groups of each crossed with those of the others";
    default: return "";
  }
}

void print_found(std::ostream& out, const Audit& audit) {
  TextTable table({"gaps found", "", "group", "rest", "gap", level_text(audit), "corrected p"});
  for (const ColumnAudit& column : audit.columns) {
    for (const GroupAudit& group : column.groups) {
      for (std::size_t m = 0; m < group.gaps.size(); ++m) {
        const AuditGap& gap = group.gaps[m];
        if (!audit.is_found(gap)) continue;
        const MetricUnit unit = audit.labels[m].unit;
        table.add({column.column + " " + group.value, metric_heading(audit.labels[m]),
                   metric_text(unit, group.values[m]), metric_text(unit, group.rest[m]),
                   difference_text(unit, gap.gap), interval_text(unit, gap.interval),
                   gap_p_text(gap)});
      }
    }
  }
  const std::string rate = significant(100 * audit.options.alarm_rate, 6) + "%";
  if (audit.tests == 0) {
    out << "\nNo group is large enough to be compared with the rest.\n";
  } else if (table.empty()) {
    out << "\nNo gap found: none of " << audit.tests << " has a corrected p of at most "
        << to_text(audit.options.alarm_rate)
        << ". What the intervals leave open may still be there.\n";
  } else {
    out << '\n'
        << table << "Of " << audit.tests << " gaps tested; where there is none, the chance of "
        << "reporting any is at most " << rate << ".\n";
  }
}

void print_method(std::ostream& out, const Audit& audit) {
  const AuditOptions& options = audit.options;
  const std::string units = units_name(audit);
  out << "\nA gap is the group minus all other samples. Intervals: percentile bootstrap over "
      << units << ", " << options.bootstrap.replicates << " replicates, seed "
      << options.bootstrap.seed << ".\np-values: columns shuffled over " << units << ", "
      << options.permutations
      << " permutations, corrected over all gaps (step-down max-T).\nToo few to say: fewer than "
      << options.fewest << " " << units << " in the group or in the rest. Referred: U above "
      << to_text(options.refer_above) << ".\n";
  for (const ColumnAudit& column : audit.columns) {
    if (column.is_constant_in_units) continue;
    out << "'" << column.column
        << "' differs within patients: it was shuffled among those of as many images.\n";
  }
  out << convention_text(audit.metrics) << ".\n";
}

}  // namespace

PaperTable audit_table(const Audit& audit) {
  PaperTable table;
  table.texts.names = 2;
  table.texts.header = {"column", "group"};
  for (const std::string& name : group_header(audit)) table.texts.header.push_back(name);
  table.csv_header = {"column",        "group",       "samples", "units",       "metric",
                      "value",         "low",         "high",    "rest",        "gap",
                      "gap_low",       "gap_high",    "p",       "corrected_p", "found",
                      "within_margin", "units_needed"};
  for (const ColumnAudit& column : audit.columns) {
    for (const GroupAudit& group : column.groups) {
      std::vector<std::string> row{column.column, group.value};
      for (const std::string& cell : group_cells(audit, group)) row.push_back(cell);
      table.texts.rows.push_back(std::move(row));
      const std::vector<std::string> names{no_formula(column.column), no_formula(group.value),
                                           std::to_string(group.samples),
                                           std::to_string(group.units)};
      if (!group.is_compared) {
        std::vector<std::string> cells = names;
        cells.push_back("too few");
        cells.resize(table.csv_header.size());
        table.csv_rows.push_back(std::move(cells));
      }
      for (std::size_t m = 0; m < group.gaps.size(); ++m) {
        const AuditGap& gap = group.gaps[m];
        std::vector<std::string> cells = names;
        cells.insert(cells.end(), {audit.labels[m].key, exact_text(group.values[m])});
        for (std::string& end : exact_interval(group.intervals[m])) cells.push_back(std::move(end));
        cells.insert(cells.end(), {exact_text(group.rest[m]), exact_text(gap.gap)});
        for (std::string& end : exact_interval(gap.interval)) cells.push_back(std::move(end));
        cells.insert(cells.end(), {gap.test ? to_text(gap.test->p) : "",
                                   gap.test ? to_text(gap.test->corrected) : "",
                                   audit.is_found(gap) ? "yes" : "no"});
        for (std::string& cell : exact_margin(gap)) cells.push_back(std::move(cell));
        table.csv_rows.push_back(std::move(cells));
      }
    }
  }
  return table;
}

void print_audit(std::ostream& out, const Audit& audit) {
  if (audit.by_group) {
    out << audit.units << (audit.units == 1 ? " patient" : " patients")
        << " (the array 'groups')\n";
  } else {
    out << "No patients (array 'groups'): every sample counts as independent\n";
  }
  for (const ColumnAudit& column : audit.columns) {
    std::vector<std::string> header{column.column};
    for (const std::string& name : group_header(audit)) header.push_back(name);
    TextTable table(header);
    for (const GroupAudit& group : column.groups) {
      std::vector<std::string> row{group.value};
      for (const std::string& cell : group_cells(audit, group)) row.push_back(cell);
      table.add(row);
    }
    out << "\nBy " << column.column << grouping_text(column) << '\n' << table;
  }
  print_found(out, audit);
  for (const SkippedColumn& each : audit.skipped) out << "Left out: " << each.reason << ".\n";
  print_method(out, audit);
}

}  // namespace cubcal::app
