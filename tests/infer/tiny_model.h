#pragma once

#include <ATen/ATen.h>

#include <memory>

#include "cubcal/core/seed_stream.h"
#include "cubcal_nn/infer/model_folder.h"
#include "cubcal_nn/models/registry.h"

namespace cubcal::test {

/// A small network for gray images of 16 x 16 pixels and three classes, as it is described on disk.
inline ModelDescription tiny_description(LayerKind kind) {
  ModelDescription description;
  description.network = "small-resnet";
  description.class_names = {"round", "square", "other"};
  description.kind = kind;
  description.preprocessing = {16, 16, {0.5}, {0.25}};
  return description;
}

inline std::unique_ptr<Network> tiny_network(LayerKind kind, std::uint64_t seed = 1) {
  NetworkOptions options =
      tiny_description(kind).network_options(c10::Device(c10::DeviceType::CPU));
  options.seed = seed;
  return make_network("small-resnet", options);
}

inline at::Tensor random_images(std::int64_t count, std::int64_t channels = 1,
                                std::int64_t size = 16, std::uint64_t seed = 5) {
  at::Tensor images = at::empty({count, channels, size, size}, at::kByte);
  SeedStream stream(seed, 0);
  auto* values = images.data_ptr<std::uint8_t>();
  for (std::int64_t i = 0; i < images.numel(); ++i) {
    values[i] = static_cast<std::uint8_t>(stream.below(256));
  }
  return images;
}

/// The array's values as a tensor of its shape.
inline at::Tensor tensor_of(const NdArray& array) {
  const std::vector<std::int64_t> shape(array.shape().begin(), array.shape().end());
  return at::from_blob(const_cast<std::byte*>(array.bytes()), shape, at::kFloat).clone();
}

}  // namespace cubcal::test
