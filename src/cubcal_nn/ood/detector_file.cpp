#include "cubcal_nn/ood/detector_file.h"

#include <ATen/ATen.h>

#include <nlohmann/json.hpp>

#include "cubcal/core/error.h"
#include "cubcal/core/words.h"
#include "cubcal/io/json_fields.h"
#include "cubcal/io/json_text.h"
#include "cubcal/weights/safetensors.h"
#include "cubcal_nn/infer/tensor_exchange.h"
#include "cubcal_nn/ood/registry.h"

namespace cubcal {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "cubcal-detector";
constexpr int kFormatVersion = 1;
const std::string kOwn = "detector.";
const std::string kExtra = "extra.";
const std::string kFact = "fact.";

Json to_json(const DetectorOptions& options) {
  return {{"shrinkage", options.shrinkage ? Json(*options.shrinkage) : Json()},
          {"explained_variance", options.explained_variance},
          {"kernel_gamma", options.kernel_gamma},
          {"fourier_per_feature", options.fourier_per_feature},
          {"neighbours", options.neighbours},
          {"bank", options.bank},
          {"principal_dimension", options.principal_dimension},
          {"seed", options.seed}};
}

DetectorOptions options_of(const JsonFields& fields) {
  DetectorOptions options;
  options.shrinkage = fields.number_or_null("shrinkage");
  options.explained_variance = fields.number("explained_variance");
  options.kernel_gamma = fields.number("kernel_gamma");
  options.fourier_per_feature = fields.whole_number("fourier_per_feature");
  options.neighbours = fields.whole_number("neighbours");
  options.bank = fields.whole_number("bank");
  options.principal_dimension = fields.whole_number("principal_dimension");
  options.seed = fields.count("seed");
  return options;
}

std::unique_ptr<Detector> described_detector(const TensorFile& file) {
  const auto format = file.metadata.find("format");
  const auto description = file.metadata.find("detector");
  if (format == file.metadata.end() || format->second != kFormat ||
      description == file.metadata.end()) {
    throw DataError("the file holds no detector: its format must be '" + std::string(kFormat) +
                    "'");
  }
  const Json json = parse_json(description->second, "its description");
  const JsonFields fields(json, "detector");
  const std::int64_t version = fields.whole_number("version");
  if (version != kFormatVersion) {
    throw DataError("cubcal reads detectors of version " + std::to_string(kFormatVersion) +
                    ", not " + std::to_string(version));
  }
  return make_detector(fields.text("name"), options_of(fields.object("options")));
}

DetectorFile from_file(const TensorFile& file, const std::string& path, c10::Device device) {
  DetectorFile result;
  result.detector = described_detector(file);
  NamedTensors own;
  for (const NamedArray& each : file.tensors) {
    const at::Tensor tensor = to_tensor(each, path).clone();
    if (starts_with(each.name, kOwn)) own.emplace_back(each.name.substr(kOwn.size()), tensor);
    if (starts_with(each.name, kExtra)) {
      result.extras.emplace_back(each.name.substr(kExtra.size()), tensor);
    }
  }
  result.detector->restore(own, device);
  for (const auto& [name, value] : file.metadata) {
    if (starts_with(name, kFact)) result.facts.emplace(name.substr(kFact.size()), value);
  }
  return result;
}

}  // namespace

void save_detector(const std::string& path, const Detector& detector,
                   const std::map<std::string, std::string>& facts, const NamedTensors& extras) {
  NamedTensors tensors;
  for (const auto& [name, tensor] : detector.state()) tensors.emplace_back(kOwn + name, tensor);
  for (const auto& [name, tensor] : extras) tensors.emplace_back(kExtra + name, tensor);
  const Json description = {{"version", kFormatVersion},
                            {"name", detector.name()},
                            {"options", to_json(detector.options())}};
  std::map<std::string, std::string> metadata{{"format", kFormat},
                                              {"detector", description.dump()}};
  for (const auto& [name, value] : facts) metadata.emplace(kFact + name, value);
  write_safetensors(path, HostTensors(tensors).views(), metadata);
}

DetectorFile load_detector(const std::string& path, c10::Device device) {
  const TensorFile file = read_safetensors(path);
  try {
    return from_file(file, path, device);
  } catch (const DataError& error) {
    throw DataError(path + ": " + error.what());
  } catch (const ArgumentError& error) {
    throw DataError(path + ": " + error.what());
  }
}

}  // namespace cubcal
