#include "cubcal_nn/ood/detector_file.h"

#include <ATen/ATen.h>

#include <nlohmann/json.hpp>

#include "cubcal/core/error.h"
#include "cubcal/core/words.h"
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

DetectorOptions options_from_json(const Json& json) {
  DetectorOptions options;
  if (!json.at("shrinkage").is_null()) options.shrinkage = json.at("shrinkage").get<double>();
  options.explained_variance = json.at("explained_variance").get<double>();
  options.kernel_gamma = json.at("kernel_gamma").get<double>();
  options.fourier_per_feature = json.at("fourier_per_feature").get<std::int64_t>();
  options.neighbours = json.at("neighbours").get<std::int64_t>();
  options.bank = json.at("bank").get<std::int64_t>();
  options.principal_dimension = json.at("principal_dimension").get<std::int64_t>();
  options.seed = json.at("seed").get<std::uint64_t>();
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
  const auto version = json.at("version").get<int>();
  if (version != kFormatVersion) {
    throw DataError("cubcal reads detectors of version " + std::to_string(kFormatVersion) +
                    ", not " + std::to_string(version));
  }
  return make_detector(json.at("name").get<std::string>(), options_from_json(json.at("options")));
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
  } catch (const Json::exception&) {
    throw DataError(path + ": the description of the detector is not one cubcal writes");
  }
}

}  // namespace cubcal
