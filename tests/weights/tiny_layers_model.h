#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cubcal/core/error.h"
#include "cubcal/weights/layers_model.h"

namespace cubcal::test {

/// A TensorFlow.js layers model in memory: its model.json and its shards by name.
struct LayersModelFiles {
  std::string model_json;
  std::map<std::string, std::string> shards;
};

inline LayersModel read_from_memory(const LayersModelFiles& files) {
  return read_layers_model(MemorySource("model.json", files.model_json),
                           [&files](const std::string& name) {
                             const auto found = files.shards.find(name);
                             if (found == files.shards.end()) throw DataError("no shard " + name);
                             return std::make_shared<MemorySource>(found->first, found->second);
                           });
}

/// Keras' ResNet-50 with few channels: `width` inside the first stage's blocks. The values are
/// small and different, variances positive. Bytes lie in shards of `shard_bytes`.
LayersModelFiles narrow_keras_resnet50(std::size_t width, std::size_t classes,
                                       std::size_t shard_bytes);

}  // namespace cubcal::test
