#include "cubcal/data/augmented_batch.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "cubcal/core/error.h"
#include "cubcal/data/levels.h"

namespace cubcal {
namespace {

/// Smooth images, so that a slip of a pixel would show and rounding would not.
at::Tensor images(std::int64_t channels, std::int64_t height, std::int64_t width,
                  std::int64_t largest) {
  const at::Tensor wave = at::arange(5 * channels * height * width, at::kFloat).mul(0.37).sin();
  return float_as_levels(wave.reshape({5, channels, height, width})
                             .mul(0.45)
                             .add(0.5)
                             .mul(static_cast<double>(largest)),
                         largest);
}

AugmentationOptions everything() {
  AugmentationOptions options;
  options.horizontal_flip = options.vertical_flip = true;
  options.shift = 0.2;
  options.rotation = 40;
  options.crop_least = 0.3;
  options.brightness = options.contrast = 0.6;
  return options;
}

const AugmentationKey kKey{7, 3, {4, 8, 15, 16, 23}};

TEST(AugmentedBatch, BothPathsGiveTheSame) {
  for (const std::int64_t largest : {255, 65535}) {
    for (const std::int64_t channels : {1, 3}) {
      const at::Tensor levels = images(channels, 20, 31, largest);
      for (const auto& [height, width] : {std::pair<int, int>{20, 31}, {16, 24}}) {
        const Preprocessing preprocessing = fit_preprocessing(levels, height, width);
        for (const AugmentationOptions& options : {everything(), AugmentationOptions{}}) {
          const at::Tensor fused = augmented_batch_cpu(levels, kKey, options, preprocessing);
          const at::Tensor plain =
              augmented_batch_by_operators(levels, kKey, options, preprocessing);
          ASSERT_EQ(fused.sizes(), plain.sizes());
          EXPECT_LT((fused - plain).abs().max().item<double>(), 2e-3)
              << largest << ' ' << channels << ' ' << height;
        }
      }
    }
  }
}

TEST(AugmentedBatch, AnImageDependsOnItsKeyAlone) {
  const at::Tensor levels = images(3, 12, 12, 255);
  const Preprocessing preprocessing = fit_preprocessing(levels);
  const at::Tensor together = augmented_batch(levels, kKey, everything(), preprocessing);
  const at::Tensor alone =
      augmented_batch(levels.slice(0, 2, 3), {7, 3, {15}}, everything(), preprocessing);
  EXPECT_TRUE(at::equal(together.slice(0, 2, 3), alone)) << "bit for bit";
}

TEST(AugmentedBatch, WithoutChangesItIsPreprocessing) {
  const at::Tensor levels = images(3, 12, 14, 255);
  const Preprocessing preprocessing = fit_preprocessing(levels, 10, 12);
  const AugmentationOptions none;
  EXPECT_TRUE(at::allclose(augmented_batch(levels, kKey, none, preprocessing),
                           preprocess(levels, preprocessing), 0, 1e-4));
}

TEST(AugmentedBatch, RefusesWhatDoesNotFit) {
  const Preprocessing preprocessing = fit_preprocessing(images(3, 12, 12, 255));
  EXPECT_THROW(augmented_batch(images(1, 12, 12, 255), kKey, {}, preprocessing), DataError);
  EXPECT_THROW(augmented_batch(images(3, 12, 12, 255), {1, 0, {0}}, {}, preprocessing),
               ArgumentError);
}

}  // namespace
}  // namespace cubcal
