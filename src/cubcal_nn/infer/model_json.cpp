#include "cubcal_nn/infer/model_json.h"

#include <algorithm>
#include <set>

#include "cubcal/core/check.h"
#include "cubcal/io/json_text.h"
#include "cubcal/record/decision_hash.h"
#include "cubcal/record/model_record.h"
#include "cubcal_nn/infer/provenance.h"
#include "cubcal_nn/models/registry.h"
#include "cubcal_nn/script/script_network.h"

namespace cubcal {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostMembers = 100;

void check_there(bool is_there, const char* name) {
  if (!is_there) throw DataError(std::string("a model needs the field '") + name + "'");
}

void check_complete(const ModelRecord& record) {
  check_there(record.format.has_value(), "format");
  check_there(record.version.has_value(), "version");
  check_there(!record.network.empty(), "network");
  check_there(!record.class_names.empty(), "class_names");
  check_there(!record.layers.empty(), "layers");
  check_there(!record.preprocessing.is_null(), "preprocessing");
  check_there(record.classes.has_value(), "classes");
  check_there(record.input.has_value(), "input");
  check_there(record.prior_sigma.has_value(), "prior");
}

/// Sizes that stand in the file twice, for people and other programs, must say the same.
void check_sizes(const ModelRecord& record, const ModelDescription& description) {
  const auto agree = [](const char* name, std::int64_t value, const char* other,
                        std::int64_t other_value) {
    if (value == other_value) return;
    throw DataError(std::string("the model's field '") + name + "' is " + std::to_string(value) +
                    ", but " + other + " has " + std::to_string(other_value));
  };
  agree("classes", *record.classes, "'class_names'",
        static_cast<std::int64_t>(description.classes()));
  const Preprocessing& preprocessing = description.preprocessing;
  agree("channels", record.input->channels, "'preprocessing'", preprocessing.channels());
  agree("height", record.input->height, "'preprocessing'", preprocessing.height);
  agree("width", record.input->width, "'preprocessing'", preprocessing.width);
}

ModelDescription described(const ModelRecord& record) {
  check_complete(record);
  ModelDescription description;
  description.network = record.network;
  description.class_names = record.class_names;
  description.kind = parse_layer_kind(record.layers);
  if (!record.head.empty()) description.head = parse_head_kind(record.head);
  description.members =
      static_cast<std::size_t>(std::max<std::int64_t>(0, record.members.value_or(0)));
  if (const auto& script = record.script) {
    description.script = ScriptDescription{script->sha256, script->features, script->one_by_one};
  }
  description.dropout_rate = record.dropout_rate;
  description.preprocessing = preprocessing_from_json(record.preprocessing);
  check_sizes(record, description);
  description.prior_sigma = *record.prior_sigma;
  if (!record.calibration.is_null()) {
    description.calibration = calibration_from_json(record.calibration.dump());
  }
  description.thresholds = record.thresholds;
  if (!record.provenance.is_null()) {
    description.provenance = provenance_of(record.provenance);
    drawn_phantom(description.provenance);  // refused now, and not when it is drawn again
  }
  description.identity = record.identity;
  check_description(description);
  return description;
}

ModelRecord record_of(const ModelDescription& description) {
  const Preprocessing& preprocessing = description.preprocessing;
  ModelRecord record;
  record.identity = description.identity;
  record.network = description.network;
  record.layers = layer_kind_name(description.kind);
  if (description.head != HeadKind::kOwn) record.head = head_kind_name(description.head);
  if (description.members > 0) record.members = static_cast<std::int64_t>(description.members);
  if (const auto& script = description.script) {
    record.script = ScriptRecord{script->sha256, script->features, script->one_by_one};
  }
  record.dropout_rate = description.dropout_rate;
  record.classes = static_cast<std::int64_t>(description.classes());
  record.class_names = description.class_names;
  record.input = InputRecord{preprocessing.channels(), preprocessing.height, preprocessing.width};
  record.preprocessing = to_json(preprocessing);
  record.prior_sigma = description.prior_sigma;
  record.thresholds = description.thresholds;
  if (description.calibration) {
    record.calibration = Json::parse(calibration_to_json(*description.calibration));
  }
  record.provenance = to_json(description.provenance);
  return record;
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
  options.seed = provenance.seed.value_or(0);
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
  try {
    return to_json(record_of(description)).dump(2) + "\n";
  } catch (const Json::exception&) {
    throw ArgumentError("class names and provenance of a model must be UTF-8 text");
  }
}

Json parse_description(const std::string& text) {
  return parse_json(
      text, "a model's description must be a JSON object as cubcal writes it, and this text");
}

ModelDescription description_of(const Json& document) {
  try {
    ModelDescription description = described(model_record_of(document));
    check_decision_hash(document);
    return description;
  } catch (const Json::exception&) {
    throw DataError("a model's description must be a JSON object as cubcal writes it");
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
