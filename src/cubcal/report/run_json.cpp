#include "cubcal/report/run_json.h"

#include <nlohmann/json.hpp>

#include "cubcal/core/error.h"
#include "cubcal/io/json_text.h"
#include "cubcal/plot/svg.h"
#include "cubcal/record/run_record.h"
#include "cubcal/report/deployed_model.h"
#include "cubcal/report/numbers.h"
#include "cubcal/report/shown_path.h"

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

std::string stage_text(const StageRecord& stage) {
  std::string text = stage.method;
  if (stage.epochs) text += ", " + std::to_string(*stage.epochs) + " epochs";
  if (stage.stopped_early) text += ", stopped early";
  if (stage.best.epoch) {
    text += ", best after epoch " + std::to_string(*stage.best.epoch);
    if (!stage.monitored.empty()) text += " by " + stage.monitored + " of validation";
  }
  if (stage.seconds) text += ", " + fixed(*stage.seconds, 0) + " s";
  return text;
}

template <class Number>
std::string text_of(const std::optional<Number>& number) {
  return number ? std::to_string(*number) : std::string();
}

void add_run_record(const RunRecord& run, ModelFacts& facts) {
  Card card(facts.card);
  card.add("Network", run.network);
  for (std::size_t i = 0; i < run.stages.size(); ++i) {
    const std::string name = run.stages.size() == 1 ? "Training" : "Stage " + std::to_string(i + 1);
    card.add(name.c_str(), stage_text(run.stages[i]));
    facts.method = run.stages[i].method;
  }
  facts.seed = run.seed;
  facts.data_name = run.data;
  facts.recipe = run.recipe;
  card.add("Seed", text_of(run.seed));
  card.add("Training data", shown_path(run.data));
  card.add("Hash of the data", run.data_hash);
  card.add("Hash of the recipe", run.recipe_hash);
  card.add("Program", run.program);
  card.add("LibTorch", run.libtorch);
  card.add("Device", run.device);
  card.add("Threads", text_of(run.threads));
  if (run.distributed) {
    card.add("Ranks", std::to_string(run.distributed->ranks) + " over " + run.distributed->split +
                          " by " + run.distributed->backend);
  }
}

/// What the verdict did with images that none may accept (docs/ood.md).
void add_probes(const Json& verdict, Card& card) {
  const Json& probes = at(verdict, "/probes");
  if (!probes.is_array() || probes.empty()) return;
  double images = 0;
  double accepted = 0;
  for (const Json& each : probes) {
    if (!at(each, "/samples").is_number() || !at(each, "/accepted").is_number()) return;
    images += each["samples"].get<double>();
    accepted += each["accepted"].get<double>();
  }
  card.add("Noise, blank, inverted and other images that no verdict may accept",
           plot::readable_number(accepted) + " of " + plot::readable_number(images) + " accepted");
}

void read_model(const std::string& path, ModelFacts& facts) {
  const Json json = read_object(path);
  Card card(facts.card);
  if (facts.card.empty()) {
    card.add("Network", json, "/network");
    card.add("Seed", json, "/provenance/seed");
    card.add("Training data", shown_path(text_of(at(json, "/provenance/data"))));
    card.add("Hash of the data", json, "/provenance/data_hash");
    card.add("Program", json, "/provenance/program");
    facts.method = text_of(at(json, "/provenance/stage"));
    facts.data_name = text_of(at(json, "/provenance/data"));
    facts.recipe = text_of(at(json, "/provenance/recipe"));
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
  if (verdict.is_object() && !has_stale_verdict(json)) {
    add_probes(verdict, card);
    card.add(
        "Verdict of single images",
        text_of(at(verdict, "/detector")) + " refuses at most " +
            percent(at(verdict, "/alpha").is_number() ? at(verdict, "/alpha").get<double>() : 0,
                    0) +
            " of images like the training images");
  }
}

}  // namespace

ModelFacts read_model_facts(const std::string& record_path, const std::string& model_path) {
  ModelFacts facts;
  if (!record_path.empty()) add_run_record(read_run_record(record_path), facts);
  if (!model_path.empty()) read_model(model_path, facts);
  return facts;
}

std::optional<Calibration> read_attached_calibration(const std::string& model_path) {
  const Json json = read_object(model_path);
  const Json& calibration = at(json, "/calibration");
  if (calibration.is_null()) return std::nullopt;
  return calibration_from_json(calibration.dump());
}

}  // namespace cubcal::report
