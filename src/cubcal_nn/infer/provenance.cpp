#include "cubcal_nn/infer/provenance.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "cubcal/core/content_hash.h"
#include "cubcal/core/error.h"
#include "cubcal/record/settings_json.h"

namespace cubcal {

namespace {

using nlohmann::json;

/// Reads fields that may be absent; a wrong type is a DataError that names object and field.
class OptionalFields {
 public:
  OptionalFields(const json& object, const char* name) : object_(object), name_(name) {
    if (!object.is_object()) throw DataError(std::string(name) + " must be an object");
  }

  template <class T>
  void read(const char* field, T& value) const {
    const auto found = object_.find(field);
    if (found == object_.end()) return;
    if (!has_type<T>(*found)) {
      throw DataError(std::string("the field '") + field + "' of " + name_ + " must be " +
                      accepted<T>() + ", not " + found->type_name() +
                      (found->is_number() ? " " + found->dump() : ""));
    }
    value = found->get<T>();
  }

 private:
  template <class T>
  static bool has_type(const json& value) {
    if (std::is_same_v<T, std::string>) return value.is_string();
    if (std::is_same_v<T, double>) return value.is_number();
    return value.is_number_unsigned();
  }
  template <class T>
  static const char* accepted() {
    if (std::is_same_v<T, std::string>) return "text";
    if (std::is_same_v<T, double>) return "a number";
    return "a whole number from 0 on";
  }

  const json& object_;
  const char* name_;
};

constexpr const char* kShares = "class_share";

}  // namespace

json to_json(const Provenance& provenance) {
  json metrics = json::object();
  for (const auto& [name, value] : provenance.metrics) {
    if (std::isfinite(value)) metrics[name] = value;
  }
  json object = {{"program", provenance.program},
                 {"recipe", provenance.recipe},
                 {"recipe_hash", provenance.recipe_hash},
                 {"settings", settings_json(provenance.settings)},
                 {"seed", provenance.seed},
                 {"data", provenance.data},
                 {"data_hash", provenance.data_hash},
                 {"stage", provenance.stage},
                 {"epoch", provenance.epoch},
                 {"metrics", metrics}};
  if (provenance.phantom) object["phantom"] = to_json(*provenance.phantom);
  return object;
}

Provenance provenance_from_json(const json& object) {
  const OptionalFields fields(object, "provenance");
  Provenance provenance;
  fields.read("program", provenance.program);
  fields.read("recipe", provenance.recipe);
  fields.read("recipe_hash", provenance.recipe_hash);
  if (object.contains("settings")) {
    if (!object["settings"].is_object()) {
      throw DataError("the field 'settings' of provenance must be an object");
    }
    for (const auto& [key, value] : object["settings"].items()) {
      provenance.settings.emplace_back(key, value.dump());
    }
  }
  // An import has no hash: it comes from no recipe.
  if (!provenance.recipe_hash.empty()) {
    check_content_hash(provenance.recipe, provenance.recipe_hash, "the model's recipe");
  }
  fields.read("seed", provenance.seed);
  fields.read("data", provenance.data);
  fields.read("data_hash", provenance.data_hash);
  fields.read("stage", provenance.stage);
  fields.read("epoch", provenance.epoch);
  if (object.contains("phantom")) {
    provenance.phantom = phantom_options_from_json(object["phantom"]);
  }
  if (object.contains("metrics")) {
    const OptionalFields metrics(object["metrics"], "provenance.metrics");
    for (const auto& [name, value] : object["metrics"].items()) {
      metrics.read(name.c_str(), provenance.metrics[name]);
    }
  }
  return provenance;
}

json to_json(const PhantomOptions& options) {
  return {{"seed", options.seed},
          {"train", options.train},
          {"val", options.val},
          {"test", options.test},
          {"ood", options.ood},
          {"image_size", options.image_size},
          {"patient_images", options.patient_images},
          {kShares, options.class_share},
          {"label_noise", options.label_noise},
          {"ambiguity", options.ambiguity},
          {"spread", options.spread},
          {"sensor_noise", options.sensor_noise}};
}

PhantomOptions phantom_options_from_json(const json& object) {
  const OptionalFields fields(object, "the phantom options");
  PhantomOptions options;
  fields.read("seed", options.seed);
  fields.read("train", options.train);
  fields.read("val", options.val);
  fields.read("test", options.test);
  fields.read("ood", options.ood);
  fields.read("image_size", options.image_size);
  fields.read("patient_images", options.patient_images);
  fields.read("label_noise", options.label_noise);
  fields.read("ambiguity", options.ambiguity);
  fields.read("spread", options.spread);
  fields.read("sensor_noise", options.sensor_noise);
  if (object.contains(kShares)) {
    const json& shares = object[kShares];
    bool numbers = shares.is_array() && shares.size() == kPhantomClasses;
    for (std::size_t i = 0; numbers && i < kPhantomClasses; ++i) {
      numbers = shares[i].is_number();
      if (numbers) options.class_share[i] = shares[i].get<double>();
    }
    if (!numbers) {
      throw DataError("the field 'class_share' of the phantom options must be a list of " +
                      std::to_string(kPhantomClasses) + " numbers");
    }
  }
  try {
    check_phantom_options(options);
  } catch (const ArgumentError& error) {
    throw DataError(std::string("the phantom options are not usable: ") + error.what());
  }
  return options;
}

}  // namespace cubcal
