#include "cubcal_nn/infer/model_json.h"

#include <algorithm>
#include <set>

#include "cubcal/core/check.h"
#include "cubcal/io/json_fields.h"
#include "cubcal/io/json_text.h"
#include "cubcal/record/decision_hash.h"
#include "cubcal_nn/models/registry.h"
#include "cubcal_nn/script/script_network.h"

namespace cubcal {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "cubcal-model";
constexpr std::size_t kMostMembers = 100;

Json thresholds_to_json(const Thresholds& thresholds) {
  return {{"gamma_low", thresholds.gamma_low},
          {"gamma_high", thresholds.gamma_high},
          {"eta", thresholds.eta}};
}

void check_format(const JsonFields& fields) {
  const std::string format = fields.text("format");
  if (format != kFormat) {
    throw DataError(std::string("the file is no model: its format must be '") + kFormat +
                    "', not '" + format + "'");
  }
  const std::int64_t version = fields.whole_number("version");
  if (version != kModelFormatVersion) {
    throw DataError("this program reads models of version " + std::to_string(kModelFormatVersion) +
                    ", not " + std::to_string(version));
  }
}

/// Sizes that stand in the file twice, for people and other programs, must say the same.
void check_sizes(const JsonFields& fields, const ModelDescription& description) {
  const auto agree = [](const char* name, std::int64_t value, const char* other,
                        std::int64_t other_value) {
    if (value == other_value) return;
    throw DataError(std::string("the model's field '") + name + "' is " + std::to_string(value) +
                    ", but " + other + " has " + std::to_string(other_value));
  };
  agree("classes", fields.whole_number("classes"), "'class_names'",
        static_cast<std::int64_t>(description.classes()));
  const JsonFields input = fields.object("input");
  const Preprocessing& preprocessing = description.preprocessing;
  agree("channels", input.whole_number("channels"), "'preprocessing'", preprocessing.channels());
  agree("height", input.whole_number("height"), "'preprocessing'", preprocessing.height);
  agree("width", input.whole_number("width"), "'preprocessing'", preprocessing.width);
}

ModelDescription from_fields(const Json& json) {
  const JsonFields fields(json, "model");
  check_format(fields);
  ModelDescription description;
  description.network = fields.text("network");
  description.class_names = fields.texts("class_names");
  description.kind = parse_layer_kind(fields.text("layers"));
  if (fields.has("head")) description.head = parse_head_kind(fields.text("head"));
  if (fields.has("members")) {
    description.members =
        static_cast<std::size_t>(std::max<std::int64_t>(0, fields.whole_number("members")));
  }
  if (fields.has("torchscript")) {
    const JsonFields script = fields.object("torchscript");
    description.script = ScriptDescription{script.texts("sha256"), script.text("features"),
                                           script.at("one_by_one") == true};
  }
  if (fields.has("dropout_rate")) description.dropout_rate = fields.number("dropout_rate");
  description.preprocessing = preprocessing_from_json(nlohmann::json(fields.at("preprocessing")));
  check_sizes(fields, description);
  description.prior_sigma = fields.object("prior").number("sigma");
  if (fields.has("calibration")) {
    description.calibration = calibration_from_json(fields.at("calibration").dump());
  }
  if (fields.has("thresholds")) {
    const JsonFields thresholds = fields.object("thresholds");
    description.thresholds = Thresholds{thresholds.number("gamma_low"),
                                        thresholds.number("gamma_high"), thresholds.number("eta")};
  }
  if (fields.has("provenance")) {
    description.provenance = provenance_from_json(nlohmann::json(fields.at("provenance")));
  }
  description.identity = identity_in(json);
  check_description(description);
  check_decision_hash(json);
  return description;
}

void check_class_names(const std::vector<std::string>& names) {
  std::set<std::string> seen;
  for (const std::string& name : names) {
    if (name.empty()) throw DataError("a model's class names must not be empty");
    if (!seen.insert(name).second) {
      throw DataError("a model's class names must differ, and '" + name + "' is there twice");
    }
  }
}

}  // namespace

Thresholds ModelDescription::operating_point() const {
  if (calibration && !is_scalar(calibration->method)) return calibration->thresholds;
  return thresholds ? *thresholds : thresholds_from_eta(kDefaultEta, classes());
}

NetworkOptions ModelDescription::network_options(c10::Device device) const {
  NetworkOptions options;
  options.classes = static_cast<std::int64_t>(classes());
  options.channels = preprocessing.channels();
  options.height = preprocessing.height;
  options.width = preprocessing.width;
  options.kind = kind;
  options.head = head;
  options.members = members;
  options.dropout_rate = dropout_rate;
  options.seed = provenance.seed;
  options.device = device;
  return options;
}

namespace {

void check_script(const ModelDescription& description) {
  if (!description.script) return check_network_name(description.network);
  const std::vector<std::string>& hashes = description.script->sha256;
  if (description.network != kScriptNetwork ||
      hashes.size() != std::max<std::size_t>(1, description.members)) {
    throw DataError("a model of TorchScript must have the network '" + std::string(kScriptNetwork) +
                    "' and one file, or one per member");
  }
  for (const std::string& hash : hashes) {
    if (hash.size() != 64 || hash.find_first_not_of("0123456789abcdef") != std::string::npos) {
      throw DataError("the SHA-256 of a TorchScript file must have 64 hexadecimal digits");
    }
  }
}

}  // namespace

void check_description(const ModelDescription& description) {
  check_class_names(description.class_names);
  check_preprocessing(description.preprocessing);
  try {
    check_script(description);
    if ((description.kind == LayerKind::kEnsemble) != (description.members > 0) ||
        description.members > kMostMembers) {
      throw DataError("an ensemble has 2 to " + std::to_string(kMostMembers) +
                      " members, and no other model has");
    }
    check_classes(description.classes());
    check_positive("prior sigma", description.prior_sigma);
    check_finite("prior sigma", description.prior_sigma);
    if (description.dropout_rate) {
      if (description.kind != LayerKind::kMcDropout) {
        throw DataError("a dropout rate belongs to mc-dropout models, and this one is " +
                        std::string(layer_kind_name(description.kind)));
      }
      check_in_open("dropout rate", *description.dropout_rate, 0, 1);
    }
    if (description.thresholds) check_thresholds(*description.thresholds);
    if (description.identity) check_identity(*description.identity);
  } catch (const ArgumentError& error) {
    throw DataError(std::string("the model is not usable: ") + error.what());
  }
  if (description.calibration && description.calibration->classes != description.classes()) {
    throw DataError("the calibration is for " + std::to_string(description.calibration->classes) +
                    " classes, and the model has " + std::to_string(description.classes()));
  }
}

std::string description_to_json(const ModelDescription& description) {
  check_description(description);
  const Preprocessing& preprocessing = description.preprocessing;
  Json json;
  json["format"] = kFormat;
  json["version"] = kModelFormatVersion;
  if (description.identity) json[kIdentityField] = identity_to_json(*description.identity);
  json["network"] = description.network;
  json["layers"] = layer_kind_name(description.kind);
  if (description.head != HeadKind::kOwn) json["head"] = head_kind_name(description.head);
  if (description.members > 0) json["members"] = description.members;
  if (description.script) {
    json["torchscript"] = {{"sha256", description.script->sha256},
                           {"features", description.script->features},
                           {"one_by_one", description.script->one_by_one}};
  }
  if (description.dropout_rate) json["dropout_rate"] = *description.dropout_rate;
  json["classes"] = description.classes();
  json["class_names"] = description.class_names;
  json["input"] = {{"channels", preprocessing.channels()},
                   {"height", preprocessing.height},
                   {"width", preprocessing.width}};
  json["preprocessing"] = to_json(preprocessing);
  json["prior"] = {{"sigma", description.prior_sigma}};
  if (description.thresholds) json["thresholds"] = thresholds_to_json(*description.thresholds);
  if (description.calibration) {
    json["calibration"] = Json::parse(calibration_to_json(*description.calibration));
  }
  json["provenance"] = to_json(description.provenance);
  try {
    return json.dump(2) + "\n";
  } catch (const Json::exception&) {
    throw ArgumentError("class names and provenance of a model must be UTF-8 text");
  }
}

Json parse_description(const std::string& text) {
  return parse_json(
      text, "a model's description must be a JSON object as this program writes it, and this text");
}

ModelDescription description_of(const Json& document) {
  try {
    return from_fields(document);
  } catch (const Json::exception&) {
    throw DataError("a model's description must be a JSON object as this program writes it");
  } catch (const ArgumentError& error) {
    throw DataError(std::string("the model is not usable: ") + error.what());
  }
}

ModelDescription description_from_json(const std::string& text) {
  return description_of(parse_description(text));
}

std::map<std::string, std::string> fields_of(const Json& document) {
  std::map<std::string, std::string> fields;
  for (const auto& [name, value] : document.items()) fields[name] = value.dump();
  return fields;
}

}  // namespace cubcal
