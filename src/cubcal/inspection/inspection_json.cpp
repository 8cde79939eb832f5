#include "cubcal/inspection/inspection_json.h"

#include <nlohmann/json.hpp>

#include "cubcal/inspection/overview.h"
#include "cubcal/version.h"

namespace cubcal {

namespace {

using Json = nlohmann::ordered_json;

Json tally_json(const Tally& tally) {
  Json json = Json::object();
  for (const auto& entry : tally) json[entry.first] = entry.second;
  return json;
}

Json row_json(const CountRow& row) {
  return {{"name", row.name}, {"images", row.images}, {"groups", row.groups}};
}

Json counts_json(const Overview& view) {
  Json classes = Json::array();
  Json outliers = Json::array();
  for (const CountRow& row : view.rows)
    (row.is_class ? classes : outliers).push_back(row_json(row));
  return {{"columns", view.columns},
          {"classes", classes},
          {"outliers", outliers},
          {"all", row_json(view.total)}};
}

Json table_json(const Association& table) {
  Json counts = Json::array();
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    Json row = Json::array();
    for (std::size_t v = 0; v < table.values.size(); ++v) row.push_back(table.count(r, v));
    counts.push_back(row);
  }
  Json rule;
  if (!table.rule.values.empty()) {
    Json values = Json::array();
    for (const std::size_t v : table.rule.values) values.push_back(table.values[v]);
    rule = {{"row", table.rows[table.rule.row]},
            {"values", values},
            {"recall", table.rule.recall},
            {"precision", table.rule.precision}};
  }
  return {{"column", table.column},
          {"seen_in_images", table.is_derived},
          {"of_outliers", table.of_outliers},
          {"telling", table.is_telling()},
          {"row_from_value", table.row_from_value},
          {"value_from_row", table.value_from_row},
          {"rows", table.rows},
          {"values", table.values},
          {"counts", counts},
          {"rule", rule}};
}

Json finding_json(const Catalog& catalog, const Finding& finding) {
  const auto file = [&](std::size_t i) { return catalog.samples[i].file; };
  Json sets = Json::array();
  for (const SampleList& set : finding.sets) {
    Json files = Json::array();
    for (const std::size_t i : set) files.push_back(file(i));
    sets.push_back(files);
  }
  Json json = {{"severity", severity_name(finding.severity)},
               {"kind", finding_name(finding.kind)},
               {"sentence", finding.sentence},
               {"sets", sets}};
  if (!finding.lines.empty()) json["lines"] = finding.lines;
  if (finding.table) json["column"] = finding.table->column;
  if (!finding.pairs.empty()) {
    Json pairs = Json::array();
    for (const NearPair& pair : finding.pairs) {
      pairs.push_back({{"files", {file(pair.first), file(pair.second)}},
                       {"distance", pair.distance},
                       {"correlation", pair.correlation}});
    }
    json["pairs"] = pairs;
  }
  return json;
}

Json image_json(const Sample& sample, const ImageFacts& facts) {
  Json json = {{"file", sample.file},
               {"label", sample.label},
               {"label_name", sample.label_name},
               {"split", sample.split},
               {"group", sample.group}};
  if (!facts.is_readable()) {
    json["unreadable"] = facts.unreadable;
    return json;
  }
  json["width"] = facts.width;
  json["height"] = facts.height;
  json["channels"] = facts.channels;
  json["gray_as_rgb"] = facts.gray_as_rgb;
  json["turned"] = facts.turned;
  json["bits"] = facts.bits;
  json["min_level"] = facts.min_level;
  json["max_level"] = facts.max_level;
  json["mean_level"] = facts.mean_level;
  json["level_deviation"] = facts.level_deviation;
  json["pixels"] = facts.pixels.text();
  json["falloff"] = facts.enlargement ? Json(facts.enlargement->falloff) : Json();
  json["enlarged"] = facts.enlargement ? Json(facts.enlargement->factor) : Json();
  return json;
}

}  // namespace

std::string inspection_json(const Catalog& catalog, const std::vector<ImageFacts>& facts,
                            const std::vector<Finding>& findings, const ExamineOptions& options) {
  const Overview view = overview(catalog, facts);
  Json json;
  json["cubcal"] = kVersion;
  json["path"] = catalog.path;
  json["kind"] = catalog_kind_name(catalog.kind);
  json["samples"] = catalog.samples.size();
  json["unreadable"] = view.unreadable;
  json["recognised"] = catalog.notes;
  json["counts"] = counts_json(view);
  json["sizes"] = tally_json(view.sizes);
  json["colour"] = tally_json(view.channels);
  json["depth"] = tally_json(view.depths);
  if (view.depths.size() == 1) {
    json["levels"] = {{"min", view.min_level}, {"max", view.max_level}, {"mean", view.mean_level}};
  }
  json["thresholds"] = {
      {"near_bits", options.near.max_distance},           {"near_bits_of", kPerceptualBits},
      {"near_correlation", options.near.min_correlation}, {"imbalance", options.imbalance},
      {"telling_coefficient", kTellingCoefficient},       {"enlarged_falloff", kEnlargedFalloff}};
  json["findings"] = Json::array();
  for (const Finding& finding : findings)
    json["findings"].push_back(finding_json(catalog, finding));
  json["tables"] = Json::array();
  for (const Association& table : associations(catalog, facts)) {
    json["tables"].push_back(table_json(table));
  }
  json["images"] = Json::array();
  for (std::size_t i = 0; i < facts.size(); ++i) {
    json["images"].push_back(image_json(catalog.samples[i], facts[i]));
  }
  // Names on disk need not be UTF-8.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace cubcal
