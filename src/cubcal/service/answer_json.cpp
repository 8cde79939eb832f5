#include "cubcal/service/answer_json.h"

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

}  // namespace cubcal
