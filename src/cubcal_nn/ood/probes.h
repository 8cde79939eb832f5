#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace cubcal {

/// Images that no verdict may accept, made of images that the model knows.
struct Probe {
  const char* name;   ///< as files have it: "shuffled"
  const char* title;  ///< as sentences have it: "images whose blocks are shuffled"
  at::Tensor images;  ///< in levels
};

/// Noise, each image inverted, its 8 x 8 blocks in another order, its channels exchanged and tinted
/// (where it has several), and blank images in black, grey and white. `images`: [N, C, H, W] in
/// levels.
std::vector<Probe> far_probes(const at::Tensor& images, std::uint64_t seed);

}  // namespace cubcal
