#include "cubcal/service/answer_line.h"

#include <random>

#include "cubcal/io/json_fields.h"
#include "cubcal/io/utc_time.h"
#include "cubcal/service/answer_json.h"

namespace cubcal {

using Json = nlohmann::ordered_json;

std::string new_run_id() {
  std::random_device random;
  constexpr char kHex[] = "0123456789abcdef";
  std::string text;
  for (int i = 0; i < 12; ++i) text += kHex[random() % 16];
  return text;
}

Json version_json(const std::string& name, const ModelVersion& version) {
  const ModelFacts& facts = version.model->facts();
  Json json = {{"name", name}, {"version", version.number}};
  add_identity(facts, json);
  json["network"] = facts.network;
  add_hashes(facts, json);
  json["description_hash"] = facts.description_hash;
  json["data"] = text_or_null(facts.data);
  json["data_hash"] = text_or_null(facts.data_hash);
  json["calibration"] = text_or_null(facts.calibration);
  return json;
}

Json audit_json(const std::string& name, const ModelVersion& version, const std::string& request) {
  return {{"request", request},
          {"time", utc_time_with_milliseconds()},
          {"program", program_text()},
          {"model", version_json(name, version)},
          {"seed", version.model->facts().seed}};
}

Json dicom_json(const DicomFacts& dicom) {
  return {{"sop_instance_uid", dicom.sop_uid}, {"study_instance_uid", dicom.study_uid}};
}

std::string answer_line(Json audit, const LoggedImage& image, const Answer& answer,
                        const ModelFacts& facts, bool patients) {
  Json prediction = prediction_json(image.name, answer, facts);
  prediction["passes"] = answer.passes;
  if (!patients) prediction.erase("image");
  audit.update(prediction);
  if (image.frame) audit["frame"] = *image.frame;
  if (patients && image.dicom) {
    audit["group"] =
        image.dicom->patient_id.empty() ? image.dicom->study_uid : image.dicom->patient_id;
    audit["dicom"] = dicom_json(*image.dicom);
  }
  return audit.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace cubcal
