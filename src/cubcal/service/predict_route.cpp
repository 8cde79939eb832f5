#include <cmath>
#include <cstring>

#include "cubcal/core/error.h"
#include "cubcal/core/parse_number.h"
#include "cubcal/http/http_error.h"
#include "cubcal/io/utf8.h"
#include "cubcal/service/answer_json.h"
#include "cubcal/service/service_routes.h"

namespace cubcal {

namespace {

using Json = nlohmann::ordered_json;

HttpError too_late(std::chrono::milliseconds deadline) {
  return HttpError(504, "there was no answer within " + std::to_string(deadline.count()) + " ms");
}

/// Of the options or less, as the query says.
std::chrono::milliseconds deadline_of(const std::string& text, std::chrono::milliseconds most) {
  if (text.empty()) return most;
  const std::chrono::milliseconds wanted(number_field("deadline_ms", text));
  return std::min(wanted, most);
}

bool flag_field(const std::string& name, const std::string& text) {
  if (text.empty() || text == "0" || text == "false") return false;
  if (text == "1" || text == "true") return true;
  throw HttpError(400, "the field '" + name + "' must be true or false");
}

Json spread_json(const Answer& answer, const ModelFacts& facts) {
  Json spread = Json::object();
  for (std::size_t k = 0; k < answer.spread_low.size(); ++k) {
    spread[facts.class_names[k]] = {answer.spread_low[k], answer.spread_high[k]};
  }
  return spread;
}

}  // namespace

HttpResponse json_response(const Json& json, int status) {
  return {status, "application/json",
          json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"};
}

std::size_t number_field(const std::string& name, const std::string& text) {
  constexpr std::size_t kMostDigits = 9;
  const std::optional<std::size_t> number = parse_whole<std::size_t>(text);
  if (!number || text.size() > kMostDigits) {
    throw HttpError(400, "the field '" + name + "' must be a whole number, not " + in_quotes(text));
  }
  return *number;
}

ModelSlot& Service::slot_named(const std::string& name) {
  for (const auto& slot : slots_) {
    if (name.empty() || slot->name() == name) return *slot;
  }
  throw HttpError(404, "there is no model " + in_quotes(name) + ": /v1/models lists them");
}

ModelVersion Service::version_named(ModelSlot& slot, const Call& call) const {
  if (call.names.size() < 2) return slot.active();
  const std::size_t number = number_field("version", call.names[1]);
  const std::optional<ModelVersion> version = slot.version(number);
  if (!version) {
    throw HttpError(404, "the model '" + slot.name() + "' has no version " +
                             std::to_string(number) + " loaded");
  }
  return *version;
}

std::vector<Service::Answered> Service::answer(ModelSlot& slot, const ModelVersion& version,
                                               std::vector<ReceivedImage> images,
                                               const Call& call) {
  const std::chrono::milliseconds deadline =
      deadline_of(call.field("deadline_ms"), options_.deadline);
  const ServiceClock::time_point end = call.start + deadline;
  std::vector<Answered> answered;
  std::vector<std::shared_ptr<const PreparedImage>> prepared;
  for (ReceivedImage& image : images) {
    if (image.prepared) prepared.push_back(image.prepared);
    if (!image.prepared) metrics_.count("cubcal_unreadable_images_total", {});
    answered.push_back({std::move(image), std::nullopt});
  }
  if (prepared.empty()) return answered;
  std::vector<std::future<Answer>> futures = slot.queue().submit(version.model, prepared, end);
  if (futures.empty()) {
    metrics_.count("cubcal_refused_images_total", {{"model", slot.name()}},
                   static_cast<double>(prepared.size()));
    const double seconds = std::ceil(slot.queue().seconds_of_work());
    throw HttpError(503, "too many images wait for the model '" + slot.name() + "'",
                    {{"Retry-After", std::to_string(std::max(1, static_cast<int>(seconds)))}});
  }
  auto next = futures.begin();
  for (Answered& each : answered) {
    if (!each.image.prepared) continue;
    if (next->wait_until(end) != std::future_status::ready) throw too_late(deadline);
    try {
      each.answer = next++->get();
    } catch (const DeadlinePassed&) {
      throw too_late(deadline);
    }
  }
  for (const Answered& each : answered) {
    if (each.answer) record(slot, version, each, call);
  }
  return answered;
}

void Service::record(const ModelSlot& slot, const ModelVersion& version, const Answered& each,
                     const Call& call) {
  metrics_.count("cubcal_answers_total",
                 {{"model", slot.name()}, {"verdict", decision_name(each.answer->decision)}});
  if (!log_) return;
  const std::string line = answer_line(audit_json(slot.name(), version, call.id),
                                       {each.image.name, each.image.dicom, each.image.frame},
                                       *each.answer, version.model->facts(), options_.log_patients);
  if (!log_->add(line)) {
    metrics_.count("cubcal_log_failures_total", {});
  }
}

HttpResponse Service::predict(const Call& call) {
  ModelSlot& slot = slot_named(call.field("model"));
  const ModelVersion version = slot.active();
  const ModelFacts& facts = version.model->facts();
  UploadLimits limits;
  limits.max_pixels = options_.max_pixels;
  limits.picture = flag_field("picture", call.field("picture"));
  if (!call.field("frame").empty()) limits.dicom_frame = number_field("frame", call.field("frame"));
  const std::string name = call.field("name").empty() ? "image" : call.field("name");
  const std::vector<Answered> answered =
      answer(slot, version,
             receive_images(uploaded_images(call.request, name, options_.max_images),
                            *version.model, limits, decoders_),
             call);
  Json document = audit_json(slot.name(), version, call.id);
  document["eta"] = facts.eta;
  document["policy"] = policy_json(facts);
  document["predictions"] = Json::array();
  document["unreadable"] = Json::array();
  for (const Answered& each : answered) {
    if (!each.answer) {
      document["unreadable"].push_back(unreadable_json(each.image.name, each.image.problem));
      continue;
    }
    Json prediction = prediction_json(each.image.name, *each.answer, facts);
    prediction["passes"] = each.answer->passes;
    if (!each.answer->spread_low.empty()) prediction["spread"] = spread_json(*each.answer, facts);
    if (each.image.dicom) prediction["dicom"] = dicom_json(*each.image.dicom);
    if (each.image.frame) prediction["frame"] = *each.image.frame;
    if (limits.picture) prediction["picture"] = each.image.picture;
    document["predictions"].push_back(prediction);
  }
  if (document["predictions"].empty()) {
    const std::string& first = answered.front().image.problem;
    document["error"] = answered.size() == 1
                            ? first
                            : "none of " + std::to_string(answered.size()) +
                                  " images could be read, the first because: " + first;
    return json_response(document, 422);
  }
  return json_response(document);
}

}  // namespace cubcal
