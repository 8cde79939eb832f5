#include "cubcal/report/run_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cubcal/core/check.h"
#include "cubcal/core/content_hash.h"
#include "cubcal/core/error.h"
#include "cubcal/io/json_text.h"
#include "cubcal/report/numbers.h"

namespace cubcal::report {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostBytes = std::size_t{1} << 26;

Json read_object(const std::string& path) {
  Json json = load_json(path, kMostBytes);
  if (!json.is_object()) throw DataError("'" + path + "' is no JSON object");
  return json;
}

/// The value at a pointer such as "/data/hash", or null.
const Json& at(const Json& json, const char* pointer) {
  static const Json none;
  const Json::json_pointer place(pointer);
  return json.contains(place) ? json.at(place) : none;
}

std::string text_of(const Json& json) {
  if (json.is_null()) return {};
  if (json.is_string()) return json.get<std::string>();
  if (json.is_number_float()) return to_text(json.get<double>());
  return json.dump();
}

class Card {
 public:
  explicit Card(std::vector<CardRow>& rows) : rows_(rows) {}

  void add(const char* name, const Json& json, const char* pointer) {
    add(name, text_of(at(json, pointer)));
  }
  void add(const char* name, const std::string& value) {
    if (!value.empty()) rows_.push_back({name, value});
  }

 private:
  std::vector<CardRow>& rows_;
};

std::string stage_text(const Json& stage) {
  std::string text = text_of(at(stage, "/method"));
  const Json& epochs = at(stage, "/epochs");
  if (epochs.is_number()) text += ", " + text_of(epochs) + " epochs";
  if (at(stage, "/stopped_early") == true) text += ", stopped early";
  const Json& best = at(stage, "/best/epoch");
  if (best.is_number()) {
    text += ", best after epoch " + text_of(best);
    const std::string monitored = text_of(at(stage, "/monitored"));
    if (!monitored.empty()) text += " by " + monitored + " of validation";
  }
  const Json& seconds = at(stage, "/seconds");
  if (seconds.is_number()) text += ", " + fixed(seconds.get<double>(), 0) + " s";
  return text;
}

void read_run_record(const std::string& path, RunRecord& record) {
  const Json json = read_object(path);
  Card card(record.card);
  card.add("Network", json, "/network");
  const Json& stages = at(json, "/stages");
  for (std::size_t i = 0; stages.is_array() && i < stages.size(); ++i) {
    const std::string name = stages.size() == 1 ? "Training" : "Stage " + std::to_string(i + 1);
    card.add(name.c_str(), stage_text(stages[i]));
    record.method = text_of(at(stages[i], "/method"));
  }
  const Json& seed = at(json, "/seed");
  if (seed.is_number_unsigned()) record.seed = seed.get<std::uint64_t>();
  record.data_name = text_of(at(json, "/data/name"));
  card.add("Seed", json, "/seed");
  card.add("Training data", record.data_name);
  card.add("Hash of the data", json, "/data/hash");
  card.add("Hash of the recipe", json, "/recipe/hash");
  card.add("Program", json, "/program");
  card.add("LibTorch", json, "/libtorch");
  card.add("Device", json, "/device");
  card.add("Threads", json, "/threads");
  record.recipe = text_of(at(json, "/recipe/text"));
  const Json& hash = at(json, "/recipe/hash");
  if (hash.is_string()) {
    check_content_hash(record.recipe, text_of(hash), "the recipe in '" + path + "'");
  }
}

void read_model(const std::string& path, RunRecord& record) {
  const Json json = read_object(path);
  Card card(record.card);
  if (record.card.empty()) {
    card.add("Network", json, "/network");
    card.add("Seed", json, "/provenance/seed");
    card.add("Training data", json, "/provenance/data");
    card.add("Hash of the data", json, "/provenance/data_hash");
    card.add("Program", json, "/provenance/program");
    record.method = text_of(at(json, "/provenance/stage"));
    record.data_name = text_of(at(json, "/provenance/data"));
    record.recipe = text_of(at(json, "/provenance/recipe"));
  }
  card.add("Layers", json, "/layers");
  const Json& input = at(json, "/input");
  if (input.is_object()) {
    card.add("Input", text_of(at(input, "/channels")) + " × " + text_of(at(input, "/height")) +
                          " × " + text_of(at(input, "/width")));
  }
  card.add("Standard deviation of the prior", json, "/prior/sigma");
  card.add("Hash of the weights", json, "/weights_hash");
  const Json& verdict = at(json, "/verdict");
  if (verdict.is_object()) {
    card.add(
        "Verdict of single images",
        text_of(at(verdict, "/detector")) + " refuses at most " +
            percent(at(verdict, "/alpha").is_number() ? at(verdict, "/alpha").get<double>() : 0,
                    0) +
            " of images like the training images");
  }
}

void flatten(const Json& json, const std::string& prefix, std::map<std::string, double>& values) {
  for (const auto& [name, value] : json.items()) {
    if (value.is_number()) values[prefix + name] = value.get<double>();
    if (value.is_object()) flatten(value, prefix + name + ".", values);
  }
}

/// Before lines named the terms of their loss there were two.
std::map<std::string, std::string> terms_of(const Json& line) {
  const auto found = line.find("terms");
  if (found == line.end()) return {{"cub", "CUB-Loss"}, {"avuc", "AvUC loss"}};
  std::map<std::string, std::string> terms;
  for (const auto& [name, title] : found->items()) {
    if (title.is_string()) terms[name] = title.get<std::string>();
  }
  return terms;
}

double number_at(const Json& json, const char* name, const std::string& path) {
  const auto found = json.find(name);
  if (found == json.end() || !found->is_number()) {
    throw DataError("'" + path + "' has a row without the number '" + name + "'");
  }
  return found->get<double>();
}

}  // namespace

RunRecord read_record(const std::string& record_path, const std::string& model_path) {
  RunRecord record;
  if (!record_path.empty()) read_run_record(record_path, record);
  if (!model_path.empty()) read_model(model_path, record);
  return record;
}

std::optional<Calibration> read_attached_calibration(const std::string& model_path) {
  const Json json = read_object(model_path);
  const Json& calibration = at(json, "/calibration");
  if (calibration.is_null()) return std::nullopt;
  return calibration_from_json(calibration.dump());
}

std::vector<EpochValues> read_epochs(const std::string& path) {
  std::istringstream lines(read_text_file(path, kMostBytes));
  std::vector<EpochValues> epochs;
  std::string line;
  for (std::size_t number = 1; std::getline(lines, line); ++number) {
    if (line.empty()) continue;
    Json json;
    const std::string name = "line " + std::to_string(number) + " of '" + path + "'";
    try {
      json = parse_json(line, name);
      if (!json.is_object()) throw DataError(name + " is no JSON object");
    } catch (const DataError&) {
      if (lines.eof()) break;  // a training that was killed left it short
      throw;
    }
    EpochValues epoch;
    flatten(json, "", epoch.values);
    epoch.terms = terms_of(json);
    epoch.stage = static_cast<std::size_t>(std::max(1.0, epoch.values["stage"]));
    epoch.epoch = epoch.values["epoch"];
    epochs.push_back(std::move(epoch));
  }
  return epochs;
}

DetectorTable read_detectors(const std::string& path) {
  const Json json = read_object(path);
  if (text_of(at(json, "/format")) != "cubcal-ood") {
    throw DataError("'" + path + "' is not what 'cubcal ood --json' writes");
  }
  DetectorTable table;
  const Json& rows = at(json, "/rows");
  for (std::size_t i = 0; rows.is_array() && i < rows.size(); ++i) {
    const Json& each = rows[i];
    DetectorRow row;
    row.title = text_of(at(each, "/title"));
    row.auroc = number_at(each, "auroc", path);
    row.aupr = number_at(each, "aupr", path);
    row.fpr95 = number_at(each, "fpr95", path);
    const Json& low = at(each, "/auroc_interval/0");
    const Json& high = at(each, "/auroc_interval/1");
    if (low.is_number() && high.is_number()) {
      row.auroc_interval = Interval{low.get<double>(), high.get<double>(), 0};
    }
    const Json& categories = at(each, "/categories");
    if (categories.is_object()) {
      for (const auto& [name, values] : categories.items()) {
        row.auroc_by_category[name] = number_at(values, "auroc", path);
        if (table.rows.empty()) table.categories.push_back(name);
      }
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace cubcal::report
