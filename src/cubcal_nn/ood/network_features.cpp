#include "cubcal_nn/ood/network_features.h"

#include <ATen/ATen.h>

#include "cubcal/core/named_values.h"
#include "cubcal_nn/ood/appearance.h"

namespace cubcal {

namespace {

at::Tensor tensor_of(const NdArray& array) {
  const std::vector<std::int64_t> shape(array.shape().begin(), array.shape().end());
  return at::from_blob(const_cast<std::byte*>(array.bytes()), shape, at::dtype(at::kFloat)).clone();
}

constexpr NamedValue<FeatureSource> kSources[] = {{"mean", FeatureSource::kMeanWeights},
                                                  {"mc", FeatureSource::kPasses}};

}  // namespace

const char* feature_source_name(FeatureSource source) { return name_of(kSources, source); }

FeatureSource feature_source_from_name(const std::string& name) {
  return value_named(kSources, name, "the source of features");
}

DetectorInput detector_input(const McOutput& output, const at::Tensor& images) {
  if (output.features.empty()) throw ArgumentError("the run was not asked for features");
  DetectorInput input;
  for (const NdArray& tap : output.features) input.taps.push_back(tensor_of(tap));
  input.logits = tensor_of(output.logits).to(at::kDouble).mean(0);
  input.appearance = appearance_of(images).cpu();
  return input;
}

DetectorInput network_features(McEngine& engine, const at::Tensor& images, McOptions options,
                               FeatureSource source) {
  options.features = true;
  options.mean_weights = source == FeatureSource::kMeanWeights;
  return detector_input(engine.run(images, options), images);
}

}  // namespace cubcal
