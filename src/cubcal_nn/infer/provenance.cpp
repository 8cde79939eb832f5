#include "cubcal_nn/infer/provenance.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cubcal/core/error.h"
#include "cubcal/io/json_fields.h"

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

std::optional<PhantomOptions> drawn_phantom(const Provenance& provenance) {
  if (provenance.phantom.is_null()) return std::nullopt;
  if (!provenance.phantom.is_object()) throw DataError("the phantom options must be an object");
  const JsonFields fields(provenance.phantom, "phantom");
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
