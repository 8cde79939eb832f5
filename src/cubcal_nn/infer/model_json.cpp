#include "cubcal_nn/infer/model_json.h"

#include <set>

#include "cubcal/core/check.h"
#include "cubcal/io/json_text.h"
#include "cubcal_nn/models/registry.h"

namespace cubcal {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "cubcal-model";

Json thresholds_to_json(const Thresholds& thresholds) {
  return {{"gamma_low", thresholds.gamma_low},
          {"gamma_high", thresholds.gamma_high},
          {"eta", thresholds.eta}};
}

const Json& field(const Json& json, const char* name) {
  if (!json.is_object() || !json.contains(name)) {
    throw DataError(std::string("a model needs the field '") + name + "'");
  }
  return json[name];
}

[[noreturn]] void wrong_type(const char* name, const char* accepted, const Json& value) {
  throw DataError(std::string("the model's field '") + name + "' must be " + accepted + ", not " +
                  value.type_name());
}

std::string text(const Json& json, const char* name) {
  const Json& value = field(json, name);
  if (!value.is_string()) wrong_type(name, "text", value);
  return value.get<std::string>();
}

double number(const Json& json, const char* name) {
  const Json& value = field(json, name);
  if (!value.is_number()) wrong_type(name, "a number", value);
  return value.get<double>();
}

std::int64_t whole_number(const Json& json, const char* name) {
  const Json& value = field(json, name);
  if (!value.is_number_integer()) wrong_type(name, "a whole number", value);
  return value.get<std::int64_t>();
}

std::vector<std::string> texts(const Json& json, const char* name) {
  const Json& value = field(json, name);
  if (!value.is_array()) wrong_type(name, "a list of texts", value);
  std::vector<std::string> list;
  for (const Json& entry : value) {
    if (!entry.is_string()) wrong_type(name, "a list of texts", entry);
    list.push_back(entry.get<std::string>());
  }
  return list;
}

void check_format(const Json& json) {
  const std::string format = text(json, "format");
  if (format != kFormat) {
    throw DataError(std::string("the file is no model: its format must be '") + kFormat +
                    "', not '" + format + "'");
  }
  const std::int64_t version = whole_number(json, "version");
  if (version != kModelFormatVersion) {
    throw DataError("this program reads models of version " + std::to_string(kModelFormatVersion) +
                    ", not " + std::to_string(version));
  }
}

/// Sizes that stand in the file twice, for people and other programs, must say the same.
void check_sizes(const Json& json, const ModelDescription& description) {
  const auto agree = [](const char* name, std::int64_t value, const char* other,
                        std::int64_t other_value) {
    if (value == other_value) return;
    throw DataError(std::string("the model's field '") + name + "' is " + std::to_string(value) +
                    ", but " + other + " has " + std::to_string(other_value));
  };
  agree("classes", whole_number(json, "classes"), "'class_names'",
        static_cast<std::int64_t>(description.classes()));
  const Json& input = field(json, "input");
  const Preprocessing& preprocessing = description.preprocessing;
  agree("channels", whole_number(input, "channels"), "'preprocessing'", preprocessing.channels());
  agree("height", whole_number(input, "height"), "'preprocessing'", preprocessing.height);
  agree("width", whole_number(input, "width"), "'preprocessing'", preprocessing.width);
}

ModelDescription from_fields(const Json& json) {
  check_format(json);
  ModelDescription description;
  description.network = text(json, "network");
  description.class_names = texts(json, "class_names");
  description.kind = parse_layer_kind(text(json, "layers"));
  if (json.contains("dropout_rate")) description.dropout_rate = number(json, "dropout_rate");
  description.preprocessing = preprocessing_from_json(nlohmann::json(field(json, "preprocessing")));
  check_sizes(json, description);
  description.prior_sigma = number(field(json, "prior"), "sigma");
  if (json.contains("calibration")) {
    description.calibration = calibration_from_json(json["calibration"].dump());
  }
  if (json.contains("thresholds")) {
    const Json& thresholds = json["thresholds"];
    description.thresholds =
        Thresholds{number(thresholds, "gamma_low"), number(thresholds, "gamma_high"),
                   number(thresholds, "eta")};
  }
  if (json.contains("provenance")) {
    description.provenance = provenance_from_json(nlohmann::json(json["provenance"]));
  }
  check_description(description);
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
  options.dropout_rate = dropout_rate;
  options.seed = provenance.seed;
  options.device = device;
  return options;
}

void check_description(const ModelDescription& description) {
  check_class_names(description.class_names);
  check_preprocessing(description.preprocessing);
  try {
    check_network_name(description.network);
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
  json["network"] = description.network;
  json["layers"] = layer_kind_name(description.kind);
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

std::map<std::string, std::string> extras_of(const Json& document) {
  static const std::set<std::string> own{"format",       "version",        "network", "layers",
                                         "dropout_rate", "classes",        "input",   "thresholds",
                                         "class_names",  "preprocessing",  "prior",   "calibration",
                                         "provenance",   kWeightsHashField};
  std::map<std::string, std::string> extras;
  for (const auto& [name, value] : document.items()) {
    if (own.count(name) == 0) extras[name] = value.dump();
  }
  return extras;
}

}  // namespace cubcal
