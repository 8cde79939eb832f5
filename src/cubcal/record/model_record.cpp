#include "cubcal/record/model_record.h"

#include "cubcal/core/error.h"
#include "cubcal/io/atomic_file.h"
#include "cubcal/io/json_fields.h"
#include "cubcal/io/json_text.h"
#include "cubcal/record/decision_hash.h"

namespace cubcal {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kModelFormat = "cubcal-model";
constexpr std::int64_t kModelVersion = 1;

void check_model_format(const ModelRecord& record) {
  if (record.format && *record.format != kModelFormat) {
    throw DataError(std::string("the file is not a model: its format must be '") + kModelFormat +
                    "', not '" + *record.format + "'");
  }
  if (record.version && *record.version != kModelVersion) {
    throw DataError("cubcal reads models of version " + std::to_string(kModelVersion) + ", not " +
                    std::to_string(*record.version));
  }
}

ScriptRecord script_of(const JsonFields& fields) {
  return {fields.texts("sha256"), fields.text("features"), fields.flag("one_by_one")};
}

InputRecord input_of(const JsonFields& fields) {
  return {fields.whole_number("channels"), fields.whole_number("height"),
          fields.whole_number("width")};
}

Thresholds thresholds_of(const JsonFields& fields) {
  return {fields.number("gamma_low"), fields.number("gamma_high"), fields.number("eta")};
}

/// The field as it is; null where it is absent.
Json part_of(const JsonFields& fields, const char* name) {
  return fields.has(name) ? fields.at(name) : Json();
}

Json to_json(const ScriptRecord& script) {
  return {
      {"sha256", script.sha256}, {"features", script.features}, {"one_by_one", script.one_by_one}};
}

Json to_json(const InputRecord& input) {
  return {{"channels", input.channels}, {"height", input.height}, {"width", input.width}};
}

Json to_json(const Thresholds& thresholds) {
  return {{"gamma_low", thresholds.gamma_low},
          {"gamma_high", thresholds.gamma_high},
          {"eta", thresholds.eta}};
}

}  // namespace

ModelRecord model_record_of(const Json& document) {
  const JsonFields fields(document, "model");
  ModelRecord record;
  fields.read("format", record.format);
  fields.read("version", record.version);
  check_model_format(record);
  record.identity = identity_in(document);
  fields.read("network", record.network);
  fields.read("layers", record.layers);
  fields.read("head", record.head);
  fields.read("members", record.members);
  if (fields.has("torchscript")) record.script = script_of(fields.object("torchscript"));
  fields.read("dropout_rate", record.dropout_rate);
  fields.read("classes", record.classes);
  fields.read("class_names", record.class_names);
  if (fields.has("input")) record.input = input_of(fields.object("input"));
  record.preprocessing = part_of(fields, "preprocessing");
  if (fields.has("prior")) record.prior_sigma = fields.object("prior").number("sigma");
  if (fields.has("thresholds")) record.thresholds = thresholds_of(fields.object("thresholds"));
  record.calibration = part_of(fields, "calibration");
  record.provenance = part_of(fields, "provenance");
  record.verdict = part_of(fields, "verdict");
  fields.read("weights_hash", record.weights_hash);
  fields.read(kDecisionHashField, record.decision_hash);
  return record;
}

Json to_json(const ModelRecord& record) {
  Json json;
  json["format"] = kModelFormat;
  json["version"] = kModelVersion;
  if (record.identity) json[kIdentityField] = identity_to_json(*record.identity);
  json["network"] = record.network;
  json["layers"] = record.layers;
  if (!record.head.empty()) json["head"] = record.head;
  if (record.members) json["members"] = *record.members;
  if (record.script) json["torchscript"] = to_json(*record.script);
  if (record.dropout_rate) json["dropout_rate"] = *record.dropout_rate;
  if (record.classes) json["classes"] = *record.classes;
  json["class_names"] = record.class_names;
  if (record.input) json["input"] = to_json(*record.input);
  if (!record.preprocessing.is_null()) json["preprocessing"] = record.preprocessing;
  if (record.prior_sigma) json["prior"] = {{"sigma", *record.prior_sigma}};
  if (record.thresholds) json["thresholds"] = to_json(*record.thresholds);
  if (!record.calibration.is_null()) json["calibration"] = record.calibration;
  if (!record.provenance.is_null()) json["provenance"] = record.provenance;
  if (!record.verdict.is_null()) json["verdict"] = record.verdict;
  if (!record.weights_hash.empty()) json["weights_hash"] = record.weights_hash;
  return json;
}

Json read_model_document(const std::string& path) {
  Json document = load_json(path, kLargestModelRecord);
  if (!document.is_object()) throw DataError("'" + path + "' is not a JSON object");
  try {
    check_decision_hash(document);
  } catch (const DataError& error) {
    throw DataError("'" + path + "': " + error.what());
  }
  return document;
}

void write_model_document(const std::string& path, Json document) {
  document.erase(kDecisionHashField);
  document[kDecisionHashField] = decision_hash(document);
  const std::string text = document.dump(2) + "\n";
  if (text.size() > kLargestModelRecord) {
    throw DataError("'" + path + "' would grow to " + std::to_string(text.size()) +
                    " bytes, and at most " + std::to_string(kLargestModelRecord) +
                    " are accepted: it stays as it was");
  }
  refuse_link(path);
  write_file_atomically(path, text);
}

ModelRecord read_model_record(const std::string& path) {
  const Json document = read_model_document(path);
  try {
    return model_record_of(document);
  } catch (const DataError& error) {
    throw DataError("'" + path + "': " + error.what());
  }
}

}  // namespace cubcal
