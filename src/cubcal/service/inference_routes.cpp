#include "cubcal/core/error.h"
#include "cubcal/http/http_error.h"
#include "cubcal/service/answer_json.h"
#include "cubcal/service/service_routes.h"
#include "cubcal/version.h"

namespace cubcal {

namespace {

using Json = nlohmann::ordered_json;

/// What of answers becomes which output; one row for each image.
std::vector<AnswerTensor> answer_tensors(const std::vector<Answer>& answers,
                                         const ModelFacts& facts) {
  const std::size_t count = answers.size();
  std::vector<double> probabilities;
  std::vector<double> confidence;
  std::vector<double> uncertainty;
  std::vector<double> p_values;
  std::vector<std::int64_t> index;
  std::vector<std::int64_t> passes;
  std::vector<std::string> label;
  std::vector<std::string> verdict;
  std::vector<std::string> reason;
  for (const Answer& each : answers) {
    probabilities.insert(probabilities.end(), each.probabilities.begin(), each.probabilities.end());
    confidence.push_back(each.confidence);
    uncertainty.insert(uncertainty.end(), {each.total, each.aleatoric, each.epistemic});
    if (each.ood_p_value) p_values.push_back(*each.ood_p_value);
    index.push_back(static_cast<std::int64_t>(each.label_index));
    passes.push_back(static_cast<std::int64_t>(each.passes));
    label.push_back(each.label);
    verdict.emplace_back(decision_name(each.decision));
    reason.push_back(each.reason);
  }
  std::vector<AnswerTensor> tensors = {
      {"probabilities", {count, facts.class_names.size()}, std::move(probabilities)},
      {"class_index", {count}, std::move(index)},
      {"class", {count}, std::move(label)},
      {"confidence", {count}, std::move(confidence)},
      {"uncertainty", {count, 3}, std::move(uncertainty)},
      {"verdict", {count}, std::move(verdict)},
      {"reason", {count}, std::move(reason)},
      {"passes", {count}, std::move(passes)}};
  if (facts.detector) tensors.push_back({"ood_p_value", {count}, std::move(p_values)});
  return tensors;
}

Json tensor_json(const char* name, const char* datatype, std::vector<std::int64_t> shape) {
  return {{"name", name}, {"datatype", datatype}, {"shape", std::move(shape)}};
}

}  // namespace

HttpResponse Service::inference_server(const Call&) {
  return json_response({{"name", "cubcal"},
                        {"version", kVersion},
                        {"extensions", Json::array({"binary_tensor_data"})}});
}

HttpResponse Service::inference_model(const Call& call) {
  ModelSlot& slot = slot_named(call.names.at(0));
  const ModelVersion version = version_named(slot, call);
  const ModelFacts& facts = version.model->facts();
  Json versions = Json::array();
  for (const ModelVersion& each : slot.versions()) versions.push_back(std::to_string(each.number));
  Json outputs = Json::array();
  for (const AnswerTensor& each : answer_tensors({}, facts)) {
    std::vector<std::int64_t> shape(each.shape.begin(), each.shape.end());
    shape[0] = -1;
    outputs.push_back(tensor_json(each.name.c_str(), datatype_of(each), shape));
  }
  return json_response({{"name", slot.name()},
                        {"versions", versions},
                        {"platform", "cubcal"},
                        {"inputs", Json::array({tensor_json("image", "BYTES", {-1})})},
                        {"outputs", outputs},
                        {"parameters",
                         {{"version", version.number},
                          {"weights_hash", facts.weights_hash},
                          {"classes", facts.class_names},
                          {"also_takes", "UINT8 or FP32 pixels [N, H, W, C] in place of BYTES"}}}});
}

HttpResponse Service::inference_ready(const Call& call) {
  version_named(slot_named(call.names.at(0)), call);
  return readiness(call);
}

HttpResponse Service::infer(const Call& call) {
  ModelSlot& slot = slot_named(call.names.at(0));
  const ModelVersion version = version_named(slot, call);
  const InferenceRequest request =
      parse_inference(call.request, {options_.max_images, options_.max_pixels});
  UploadLimits limits;
  limits.max_pixels = options_.max_pixels;
  std::vector<ReceivedImage> received;
  for (std::size_t i = 0; i < request.images.size(); ++i) {
    const std::string name = "image " + std::to_string(i);
    const TensorImage& image = request.images[i];
    if (const auto* bytes = std::get_if<std::string>(&image)) {
      received.push_back(
          std::move(receive_images({{name, *bytes}}, *version.model, limits, decoders_).front()));
    } else {
      received.push_back({name, version.model->prepare(std::get<Image>(image))});
    }
    if (!received.back().problem.empty()) throw HttpError(422, received.back().problem);
  }
  std::vector<Answer> answers;
  for (Answered& each : answer(slot, version, std::move(received), call)) {
    answers.push_back(std::move(*each.answer));
  }
  const ModelFacts& facts = version.model->facts();
  const Json head = {{"model_name", slot.name()},
                     {"model_version", std::to_string(version.number)},
                     {"id", request.id.empty() ? call.id : request.id},
                     {"parameters",
                      {{"weights_hash", facts.weights_hash},
                       {"program", program_text()},
                       {"seed", facts.seed},
                       {"request", call.id}}}};
  return inference_response(head, answer_tensors(answers, facts), request);
}

}  // namespace cubcal
