#include "conformal_text.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "cubcal/core/check.h"
#include "cubcal/version.h"
#include "number_text.h"
#include "text_table.h"

namespace cubcal::app {

namespace {

using Json = nlohmann::ordered_json;

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

void print_cells(std::ostream& out, const ConformalResult& result) {
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

void print_sets(std::ostream& out, const ConformalResult& result, const std::string& column,
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

void print_promise(std::ostream& out, const ConformalResult& result) {
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

/// Of whom the promise is missed: all, or a class or group that it is made for.
struct MissedPromise {
  std::string column;  ///< empty for all
  const SetSummary* sets;
};

std::vector<MissedPromise> missed_promises(const ConformalResult& result) {
  std::vector<MissedPromise> missed;
  if (!result.has_labels) return missed;
  const double promised = 1 - result.rule.options.alpha;
  const auto add = [&](const std::string& column, const SetSummary& row) {
    if (row.covered.of > 0 && row.covered.high < promised) missed.push_back({column, &row});
  };
  add("", result.overall);
  const std::string kept_apart = result.rule.options.by_class ? "label" : result.column;
  for (const SetTable& table : result.tables) {
    if (kept_apart.empty() || table.column != kept_apart) continue;
    for (const SetSummary& row : table.rows) add(table.column, row);
  }
  return missed;
}

void print_missed(std::ostream& out, const ConformalResult& result) {
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

Json missed_json(const ConformalResult& result) {
  Json rows = Json::array();
  for (const MissedPromise& each : missed_promises(result)) {
    rows.push_back(
        {{"by", each.column.empty() ? Json() : Json(each.column)}, {"name", each.sets->name}});
  }
  return rows;
}

Json share_json(const CountedShare& share) {
  if (share.of == 0) return nullptr;
  return {{"count", share.count},
          {"of", share.of},
          {"share", *share.share()},
          {"interval", {share.low, share.high}}};
}

Json summary_json(const SetSummary& summary, bool has_labels) {
  Json json{{"name", summary.name}, {"samples", summary.samples}};
  json["covered"] = has_labels ? share_json(summary.covered) : Json();
  json["mean_size"] = summary.mean_size() ? Json(*summary.mean_size()) : Json();
  json["by_size"] = summary.by_size;
  json["single_right"] = has_labels ? share_json(summary.single_right) : Json();
  return json;
}

Json cells_json(const ConformalResult& result) {
  Json rows = Json::array();
  for (const auto& [group, cells] : result.rule.cells) {
    for (std::size_t k = 0; k < cells.size(); ++k) {
      rows.push_back(
          {{"group", result.column.empty() ? Json() : Json(group)},
           {"class", result.rule.options.by_class ? Json(result.class_names[k]) : Json()},
           {"samples", cells[k].samples},
           {"threshold", std::isinf(cells[k].threshold) ? Json() : Json(cells[k].threshold)}});
    }
  }
  return rows;
}

}  // namespace

std::optional<CoverageForecast> ConformalResult::forecast() const {
  const bool is_one = rule.cells.size() == 1 && rule.cells.begin()->second.size() == 1;
  if (!is_one) return std::nullopt;
  return CoverageForecast(rule.cells.begin()->second.front().samples, rule.options.alpha,
                          overall.samples);
}

void print_conformal(std::ostream& out, const ConformalResult& result) {
  const ConformalOptions& options = result.rule.options;
  out << "Fitted on " << result.calibration_title << "\nSets of    " << result.test_title
      << "\n\nScore " << score_name(options.score.score)
      << (options.score.seed ? ", randomised" : "") << "; promised: the true class is in "
      << significant(100 * (1 - options.alpha), 6) << "% of the sets at least"
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
  if (result.has_groups && result.has_labels) {
    out << "The intervals take samples for independent; samples of one patient are not, and theirs "
           "would be wider.\n";
  }
}

std::string conformal_json(const ConformalResult& result) {
  const ConformalOptions& options = result.rule.options;
  Json json;
  json["cubcal"] = kVersion;
  json["score"] = score_name(options.score.score);
  json["alpha"] = options.alpha;
  json["by_class"] = options.by_class;
  json["by_column"] = result.column.empty() ? Json() : Json(result.column);
  json["randomised_seed"] = options.score.seed ? Json(*options.score.seed) : Json();
  if (options.score.score == ConformalScore::kRaps) {
    json["penalty"] = options.score.penalty;
    json["free_classes"] = options.score.free_classes;
  }
  json["classes"] = result.class_names;
  json["cells"] = cells_json(result);
  json["level"] = result.level;
  json["overall"] = summary_json(result.overall, result.has_labels);
  const std::optional<CoverageForecast> forecast = result.forecast();
  json["forecast"] = forecast ? Json{{"covered_low", forecast->low(result.level)},
                                     {"covered_high", forecast->high(result.level)}}
                              : Json();
  json["missed"] = result.has_labels ? missed_json(result) : Json();
  Json& tables = json["tables"] = Json::object();
  for (const SetTable& table : result.tables) {
    Json rows = Json::array();
    for (const SetSummary& row : table.rows) rows.push_back(summary_json(row, result.has_labels));
    tables[table.column] = rows;
  }
  return json.dump(2) + "\n";
}

}  // namespace cubcal::app
