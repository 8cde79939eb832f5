#include "cubcal_nn/infer/provenance.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cubcal/core/error.h"
#include "cubcal/io/json_fields.h"
#include "cubcal/record/provenance_record.h"

namespace cubcal {

namespace {

using nlohmann::json;

constexpr const char* kShares = "class_share";

void read_class_shares(const JsonFields& fields, PhantomOptions& options) {
  if (!fields.has(kShares)) return;
  const std::string accepted = "a list of " + std::to_string(kPhantomClasses) + " numbers";
  const std::vector<double> shares = fields.numbers(kShares);
  if (shares.size() != kPhantomClasses) fields.refuse(kShares, accepted, fields.at(kShares));
  std::copy(shares.begin(), shares.end(), options.class_share.begin());
}

}  // namespace

json to_json(const Provenance& provenance) {
  ProvenanceRecord record;
  record.program = provenance.program;
  record.recipe = provenance.recipe;
  record.recipe_hash = provenance.recipe_hash;
  record.settings = provenance.settings;
  record.seed = provenance.seed;
  record.data = provenance.data;
  record.data_hash = provenance.data_hash;
  if (provenance.phantom) record.phantom = to_json(*provenance.phantom);
  record.stage = provenance.stage;
  record.epoch = static_cast<std::uint64_t>(provenance.epoch);
  record.metrics = provenance.metrics;
  return to_json(record);
}

Provenance provenance_from_json(const json& object) {
  const ProvenanceRecord record = provenance_record_of(object);
  Provenance provenance;
  provenance.program = record.program;
  provenance.recipe = record.recipe;
  provenance.recipe_hash = record.recipe_hash;
  provenance.settings = record.settings;
  provenance.seed = record.seed.value_or(0);
  provenance.data = record.data;
  provenance.data_hash = record.data_hash;
  if (!record.phantom.is_null()) provenance.phantom = phantom_options_from_json(record.phantom);
  provenance.stage = record.stage;
  provenance.epoch = static_cast<std::int64_t>(record.epoch);
  provenance.metrics = record.metrics;
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
  if (!object.is_object()) throw DataError("the phantom options must be an object");
  const nlohmann::ordered_json ordered = object;
  const JsonFields fields(ordered, "phantom");
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
  read_class_shares(fields, options);
  try {
    check_phantom_options(options);
  } catch (const ArgumentError& error) {
    throw DataError(std::string("the phantom options are not usable: ") + error.what());
  }
  return options;
}

}  // namespace cubcal
