#include "cubcal/service/answer_json.h"

#include "cubcal/io/json_fields.h"
#include "cubcal/version.h"

namespace cubcal {

using Json = nlohmann::ordered_json;

const char* region_name(const Answer& answer) { return answer.sharpened ? "sharpen" : "soften"; }

Json policy_json(const ModelFacts& model) {
  return {{"detector", model.detector ? Json(*model.detector) : Json()},
          {"alpha", model.detector ? Json(model.alpha) : Json()},
          {"refer_above", model.set_level ? Json() : Json(model.refer_above)},
          {"set_level", model.set_level ? Json(*model.set_level) : Json()},
          {"passes", model.passes},
          {"probes", model.probes},
          {"probes_accepted", model.probes_accepted}};
}

void add_identity(const ModelFacts& model, Json& json) {
  json["model_name"] = text_or_null(model.name);
  json["model_version"] = text_or_null(model.version);
  json["model_status"] = text_or_null(model.status);
}

void add_hashes(const ModelFacts& model, Json& json) {
  json["weights_hash"] = text_or_null(model.weights_hash);
  json["decision_hash"] = text_or_null(model.decision_hash);
}

std::string program_text() { return std::string("cubcal ") + kVersion; }

Json model_json(const ModelFacts& model) {
  Json json;
  add_identity(model, json);
  add_hashes(model, json);
  json["calibration"] = text_or_null(model.calibration);
  json["program"] = program_text();
  return json;
}

Json prediction_json(const std::string& image, const Answer& answer, const ModelFacts& model) {
  Json probabilities = Json::object();
  for (std::size_t k = 0; k < model.class_names.size(); ++k) {
    probabilities[model.class_names[k]] = answer.probabilities[k];
  }
  Json json = {
      {"image", image},
      {"class", answer.label},
      {"class_index", answer.label_index},
      {"probabilities", probabilities},
      {"confidence", answer.confidence},
      {"uncertainty",
       {{"total", answer.total}, {"aleatoric", answer.aleatoric}, {"epistemic", answer.epistemic}}},
      {"region", region_name(answer)},
      {"ood_p_value", answer.ood_p_value ? Json(*answer.ood_p_value) : Json()},
      {"verdict", decision_name(answer.decision)},
      {"reason", answer.reason}};
  if (answer.prediction_set) {
    json["prediction_set"] = Json::array();
    for (const std::size_t k : *answer.prediction_set) {
      json["prediction_set"].push_back(model.class_names[k]);
    }
  }
  return json;
}

Json unreadable_json(const std::string& image, const std::string& reason) {
  return {{"image", image}, {"reason", reason}};
}

Json to_json(const PredictionSettings& settings, const ModelFacts& model) {
  Json stopping;
  if (const auto& each = settings.stopping) {
    stopping = {{"error", each->error},
                {"first", each->first},
                {"block", each->block},
                {"gamma", each->gamma}};
  }
  return {{"seed", settings.seed},
          {"passes", model.passes},
          {"adaptive", stopping},
          {"frame", settings.frame ? Json(*settings.frame) : Json()},
          {"compute", model.compute}};
}

Json answer_json(const FileAnswer& file, const ModelFacts& model, bool adaptive) {
  Json json = prediction_json(file.path, *file.answer, model);
  if (adaptive) json["passes"] = file.answer->passes;
  return json;
}

std::size_t answered_count(const std::vector<FileAnswer>& files) {
  std::size_t count = 0;
  for (const FileAnswer& file : files) count += file.answer ? 1 : 0;
  return count;
}

double mean_passes(const std::vector<FileAnswer>& files) {
  double sum = 0;
  for (const FileAnswer& file : files) {
    if (file.answer) sum += static_cast<double>(file.answer->passes);
  }
  return sum / static_cast<double>(answered_count(files));
}

std::string predictions_document(const std::vector<FileAnswer>& files, const ModelFacts& model,
                                 const PredictionSettings& settings, const std::string& time) {
  Json json;
  json["model"] = model.network;
  json.update(model_json(model));
  json["intended_use"] = text_or_null(model.intended_use);
  json["seed"] = settings.seed;
  json["time"] = time;
  json["eta"] = model.eta;
  json["policy"] = policy_json(model);
  if (settings.stopping) {
    json["adaptive"] = {
        {"error", settings.stopping->error},
        {"passes", model.passes},
        {"mean_passes", answered_count(files) > 0 ? Json(mean_passes(files)) : Json()}};
  }
  json["predictions"] = Json::array();
  json["unreadable"] = Json::array();
  for (const FileAnswer& file : files) {
    if (file.answer) {
      json["predictions"].push_back(answer_json(file, model, settings.stopping.has_value()));
    } else {
      json["unreadable"].push_back(unreadable_json(file.path, file.problem));
    }
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace cubcal
