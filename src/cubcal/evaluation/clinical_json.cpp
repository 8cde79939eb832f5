#include "cubcal/evaluation/evaluation_json.h"
#include "cubcal/io/json_fields.h"

namespace cubcal {

namespace {

using Json = nlohmann::ordered_json;

Json field_json(const std::optional<double>& value) { return json_or_null(value); }

Json field_json(const std::optional<Interval>& interval) { return interval_json(interval); }

/// {"auroc": 0.93, ...} of a row of values or intervals.
template <class Row, std::size_t N>
Json row_json(const std::array<MetricLabel, N>& infos, const Row& row) {
  Json json = Json::object();
  for (std::size_t m = 0; m < N; ++m) json[infos[m].key] = field_json(row[m]);
  return json;
}

/// Row k of a square table.
template <class T>
Json line_json(const std::vector<std::optional<T>>& cells, std::size_t classes, std::size_t k) {
  Json json = Json::array();
  for (std::size_t j = 0; j < classes; ++j) json.push_back(field_json(cells[k * classes + j]));
  return json;
}

Json point_json(const ClinicalResult& clinical, const std::vector<std::string>& class_names,
                std::size_t rule) {
  Json rows = Json::array();
  for (std::size_t k = 0; k < class_names.size(); ++k) {
    Json row{{"name", class_names[k]}};
    const ClinicalOptions& options = clinical.options;
    const std::vector<std::optional<double>>& prevalence =
        options.population.empty() ? options.prevalence : options.population;
    row["prevalence"] = prevalence.empty() ? Json() : field_json(prevalence[k]);
    row.update(row_json(point_infos(), clinical.values.points[rule][k]));
    if (clinical.intervals) {
      row["intervals"] = row_json(point_infos(), clinical.intervals->points[rule][k]);
    }
    rows.push_back(std::move(row));
  }
  const OperatingRule& own = clinical.options.rules[rule];
  return {{"rule", rule_name(own.rule)},
          {"level", own.rule == PointRule::kAnswer ? Json() : Json(own.level)},
          {"per_class", rows}};
}

}  // namespace

Json clinical_json(const ClinicalResult& clinical, const std::vector<std::string>& class_names) {
  const ClinicalValues& values = clinical.values;
  const std::size_t classes = class_names.size();
  Json json;
  json["metrics"] = row_json(clinical_infos(), values.overall);
  json["intervals"] =
      clinical.intervals ? row_json(clinical_infos(), clinical.intervals->overall) : Json();
  Json& per_class = json["per_class"] = Json::array();
  for (std::size_t k = 0; k < classes; ++k) {
    Json row{{"name", class_names[k]}};
    row.update(row_json(class_metric_infos(), values.by_class[k]));
    if (clinical.intervals) {
      row["intervals"] = row_json(class_metric_infos(), clinical.intervals->by_class[k]);
    }
    per_class.push_back(std::move(row));
  }
  Json& points = json["operating_points"] = Json::array();
  for (std::size_t r = 0; r < values.points.size(); ++r) {
    points.push_back(point_json(clinical, class_names, r));
  }
  if (values.confusion.empty()) return json;
  Json shares = Json::array();
  Json intervals = Json::array();
  for (std::size_t k = 0; k < classes; ++k) {
    shares.push_back(line_json(values.confusion, classes, k));
    if (clinical.intervals) {
      intervals.push_back(line_json(clinical.intervals->confusion, classes, k));
    }
  }
  json["confusion"] = {{"shares", shares}, {"intervals", clinical.intervals ? intervals : Json()}};
  return json;
}

}  // namespace cubcal
