#include "cubcal/conformal/conformal_json.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "cubcal/io/json_fields.h"
#include "cubcal/version.h"

namespace cubcal {

namespace {

using Json = nlohmann::ordered_json;

Json missed_promises_json(const ConformalStudy& study) {
  Json rows = Json::array();
  for (const MissedPromise& each : missed_promises(study)) {
    rows.push_back({{"by", text_or_null(each.column)}, {"name", each.sets->name}});
  }
  return rows;
}

Json counted_share_json(const CountedShare& share) {
  if (share.of == 0) return nullptr;
  return {{"count", share.count},
          {"of", share.of},
          {"share", *share.share()},
          {"interval", {share.low, share.high}}};
}

Json summary_json(const SetSummary& summary, bool has_labels) {
  Json json{{"name", summary.name}, {"samples", summary.samples}};
  json["covered"] = has_labels ? counted_share_json(summary.covered) : Json();
  json["mean_size"] = json_or_null(summary.mean_size());
  json["by_size"] = summary.by_size;
  json["single_right"] = has_labels ? counted_share_json(summary.single_right) : Json();
  return json;
}

Json cells_json(const ConformalStudy& study) {
  Json rows = Json::array();
  for (const auto& [group, cells] : study.rule.cells) {
    for (std::size_t k = 0; k < cells.size(); ++k) {
      rows.push_back(
          {{"group", study.column.empty() ? Json() : Json(group)},
           {"class", study.rule.options.by_class ? Json(study.class_names[k]) : Json()},
           {"samples", cells[k].samples},
           {"threshold", std::isinf(cells[k].threshold) ? Json() : Json(cells[k].threshold)}});
    }
  }
  return rows;
}

}  // namespace

Json conformal_json(const ConformalStudy& study) {
  const ConformalOptions& options = study.rule.options;
  Json json;
  json["cubcal"] = kVersion;
  json["score"] = score_name(options.score.score);
  json["alpha"] = options.alpha;
  json["by_class"] = options.by_class;
  json["by_column"] = text_or_null(study.column);
  json["randomised_seed"] = options.score.seed ? Json(*options.score.seed) : Json();
  if (options.score.score == ConformalScore::kRaps) {
    json["penalty"] = options.score.penalty;
    json["free_classes"] = options.score.free_classes;
  }
  json["classes"] = study.class_names;
  json["cells"] = cells_json(study);
  json["level"] = study.level;
  json["overall"] = summary_json(study.overall, study.has_labels);
  const std::optional<CoverageForecast> forecast = study.forecast();
  json["forecast"] = forecast ? Json{{"covered_low", forecast->low(study.level)},
                                     {"covered_high", forecast->high(study.level)}}
                              : Json();
  json["missed"] = study.has_labels ? missed_promises_json(study) : Json();
  Json& tables = json["tables"] = Json::object();
  for (const SetTable& table : study.tables) {
    Json rows = Json::array();
    for (const SetSummary& row : table.rows) rows.push_back(summary_json(row, study.has_labels));
    tables[table.column] = rows;
  }
  return json;
}

}  // namespace cubcal
