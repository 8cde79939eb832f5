#include "cubcal_nn/ood/probes.h"

#include <ATen/ATen.h>

#include <numeric>
#include <utility>

#include "cubcal/core/seed_stream.h"
#include "cubcal_nn/batches/levels.h"

namespace cubcal {

namespace {

constexpr std::int64_t kBlocks = 8;  ///< per side

at::Tensor noise(const at::Tensor& values, double white, SeedStream& random) {
  at::Tensor result = at::empty_like(values);
  auto* first = result.data_ptr<float>();
  for (std::int64_t i = 0; i < result.numel(); ++i) {
    first[i] = static_cast<float>(random.uniform() * white);
  }
  return result;
}

std::vector<std::int64_t> shuffled_order(std::int64_t count, SeedStream& random) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = order.size(); i > 1; --i) {
    std::swap(order[i - 1], order[random.below(static_cast<std::uint32_t>(i))]);
  }
  return order;
}

/// What does not fill a block, at the right and below, stays where it is.
at::Tensor shuffled(const at::Tensor& values, SeedStream& random) {
  at::Tensor result = values.clone();
  const std::int64_t height = values.size(2) / kBlocks;
  const std::int64_t width = values.size(3) / kBlocks;
  if (height == 0 || width == 0) return result.flip({2});
  for (std::int64_t image = 0; image < values.size(0); ++image) {
    const std::vector<std::int64_t> order = shuffled_order(kBlocks * kBlocks, random);
    for (std::int64_t to = 0; to < kBlocks * kBlocks; ++to) {
      const std::int64_t from = order[static_cast<std::size_t>(to)];
      const auto block = [&](const at::Tensor& set, std::int64_t place) {
        return set[image]
            .narrow(1, place / kBlocks * height, height)
            .narrow(2, place % kBlocks * width, width);
      };
      block(result, to).copy_(block(values, from));
    }
  }
  return result;
}

/// Red becomes green, green blue, and the channels lose light one after another.
at::Tensor recoloured(const at::Tensor& values) {
  at::Tensor result = values.roll(1, 1);
  for (std::int64_t channel = 1; channel < result.size(1); ++channel) {
    result.select(1, channel).div_(1 << channel);
  }
  return result;
}

at::Tensor blank(const at::Tensor& values, double white) {
  at::Tensor result = at::empty_like(values);
  for (std::int64_t i = 0; i < result.size(0); ++i) {
    result[i].fill_(white * static_cast<double>(i % 3) / 2);
  }
  return result;
}

}  // namespace

std::vector<Probe> far_probes(const at::Tensor& images, std::uint64_t seed) {
  const std::int64_t largest = largest_level(images);
  const auto white = static_cast<double>(largest);
  const at::Tensor values = levels_as_float(images).cpu().contiguous();
  SeedStream random(seed, 11);
  std::vector<Probe> probes{
      {"noise", "images of noise", noise(values, white, random)},
      {"inverted", "inverted images", white - values},
      {"shuffled", "images whose blocks are shuffled", shuffled(values, random)},
      {"blank", "blank images", blank(values, white)},
  };
  if (images.size(1) > 1) {
    probes.push_back({"recoloured", "images in other colours", recoloured(values)});
  }
  for (Probe& each : probes) each.images = float_as_levels(each.images, largest);
  return probes;
}

}  // namespace cubcal
