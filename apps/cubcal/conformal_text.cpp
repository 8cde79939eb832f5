#include "conformal_text.h"

#include <cmath>

#include "cubcal/core/check.h"
#include "number_text.h"
#include "text_table.h"

namespace cubcal::app {

namespace {

std::string share_text(const CountedShare& share) {
  return metric_text(MetricUnit::kPercent, share.share());
}

std::string share_interval(const CountedShare& share) {
  if (share.of == 0) return "–";
  return interval_text(MetricUnit::kPercent, Interval{share.low, share.high, share.of});
}

std::string size_text(const SetSummary& summary) {
  return summary.mean_size() ? fixed(*summary.mean_size(), 2) : "–";
}

std::string part_text(std::size_t count, const SetSummary& summary) {
  if (summary.samples == 0) return "–";
  return fixed(100.0 * static_cast<double>(count) / static_cast<double>(summary.samples), 1);
}

void print_cells(std::ostream& out, const ConformalStudy& result) {
  const ConformalRule& rule = result.rule;
  TextTable table({result.column.empty() ? "" : result.column, rule.options.by_class ? "class" : "",
                   "samples", "threshold"});
  bool too_few = false;
  for (const auto& [group, cells] : rule.cells) {
    for (std::size_t k = 0; k < cells.size(); ++k) {
      const bool is_open = std::isinf(cells[k].threshold);
      too_few = too_few || is_open;
      table.add({!group.empty()          ? group
                 : result.column.empty() ? "all"
                                         : "(empty)",
                 rule.options.by_class ? result.class_names[k] : "",
                 std::to_string(cells[k].samples),
                 is_open ? "none: never ruled out" : fixed(cells[k].threshold, 4)});
    }
  }
  out << "\nThresholds of the score\n" << table;
  if (too_few) {
    out << "Fewer than " << fewest_samples(rule.options.alpha)
        << " calibration samples give no threshold at alpha = " << to_text(rule.options.alpha)
        << ".\n";
  }
}

void print_sets(std::ostream& out, const ConformalStudy& result, const std::string& column,
                const std::vector<SetSummary>& rows) {
  const std::string interval = significant(100 * result.level, 6) + "% interval";
  std::vector<std::string> header{column, "samples"};
  if (result.has_labels) header.insert(header.end(), {"covered %", interval});
  header.insert(header.end(), {"mean size", "one class %", "none %"});
  if (result.has_labels) header.insert(header.end(), {"right of one class %", interval});
  TextTable table(header);
  for (const SetSummary& row : rows) {
    std::vector<std::string> cells{row.name, std::to_string(row.samples)};
    if (result.has_labels) {
      cells.insert(cells.end(), {share_text(row.covered), share_interval(row.covered)});
    }
    cells.insert(cells.end(),
                 {size_text(row), part_text(row.by_size[1], row), part_text(row.by_size[0], row)});
    if (result.has_labels) {
      cells.insert(cells.end(), {share_text(row.single_right), share_interval(row.single_right)});
    }
    table.add(cells);
  }
  out << table;
}

void print_promise(std::ostream& out, const ConformalStudy& result) {
  const std::optional<CoverageForecast> forecast = result.forecast();
  if (!forecast || !result.has_labels) return;
  const auto share = [&](std::size_t count) {
    return fixed(100.0 * static_cast<double>(count) / static_cast<double>(result.overall.samples),
                 1);
  };
  out << "\nExchangeable samples would be covered " << share(forecast->low(result.level)) << " to "
      << share(forecast->high(result.level)) << "% of the time ("
      << significant(100 * result.level, 6)
      << "%, beta-binomial), or more where scores are tied.\n";
  if (result.overall.covered.count < forecast->low(result.level)) {
    out << "These are covered less often: test and calibration samples are not alike.\n";
  }
}

void print_missed(std::ostream& out, const ConformalStudy& result) {
  const std::vector<MissedPromise> missed = missed_promises(result);
  if (!missed.empty()) out << '\n';
  for (const MissedPromise& each : missed) {
    out << "The promise is missed: " << significant(100 * (1 - result.rule.options.alpha), 6)
        << "% of sets were to hold the true class, and " << share_text(each.sets->covered) << "% "
        << share_interval(each.sets->covered) << " of "
        << (each.column.empty() ? "all" : "those of " + each.column + " " + each.sets->name)
        << " do.\n";
  }
}

}  // namespace

void print_conformal(std::ostream& out, const ConformalTitles& titles,
                     const ConformalStudy& result) {
  const ConformalOptions& options = result.rule.options;
  out << "Fitted on " << titles.calibration << "\nSets of    " << titles.test << "\n\nScore "
      << score_name(options.score.score) << (options.score.seed ? ", randomised" : "")
      << "; promised: the true class is in " << significant(100 * (1 - options.alpha), 6)
      << "% of the sets at least"
      << (options.by_class        ? ", of each class"
          : result.column.empty() ? ""
                                  : ", of each " + result.column)
      << ".\n";
  print_cells(out, result);
  out << "\nSets\n";
  print_sets(out, result, "", {result.overall});
  for (const SetTable& table : result.tables) {
    out << "\nSets by " << table.column << '\n';
    print_sets(out, result, table.column, table.rows);
  }
  print_promise(out, result);
  print_missed(out, result);
  if (titles.has_groups && result.has_labels) {
    out << "The intervals take samples for independent; samples of one patient are not, and theirs "
           "would be wider.\n";
  }
}

}  // namespace cubcal::app
