#include "cubcal/data/augmentation.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "cubcal/core/error.h"

namespace cubcal {
namespace {

at::Tensor images(std::int64_t count) {
  return at::arange(count * 2 * 8 * 8, at::kFloat).sin().reshape({count, 2, 8, 8});
}

const AugmentationOptions kNone = {false, false, 0, 0};

TEST(Augmentation, AnImageDoesNotDependOnItsBatch) {
  const at::Tensor batch = images(4);
  const at::Tensor together = augment(batch, {3, 7, {10, 11, 12, 13}}, {});
  const at::Tensor alone = augment(batch.slice(0, 2, 3), {3, 7, {12}}, {});
  EXPECT_TRUE(at::allclose(together.slice(0, 2, 3), alone, 1e-6, 1e-6));
  EXPECT_TRUE(at::equal(together, augment(batch, {3, 7, {10, 11, 12, 13}}, {})));
}

TEST(Augmentation, ChangesWithEpochIndexAndSeed) {
  const at::Tensor base = augmentation_maps({3, 7, {10}}, {}, 8, 8);
  EXPECT_FALSE(at::equal(base, augmentation_maps({3, 8, {10}}, {}, 8, 8)));
  EXPECT_FALSE(at::equal(base, augmentation_maps({3, 7, {11}}, {}, 8, 8)));
  EXPECT_FALSE(at::equal(base, augmentation_maps({4, 7, {10}}, {}, 8, 8)));
}

TEST(Augmentation, WithoutChangesNothingChanges) {
  const at::Tensor batch = images(3);
  EXPECT_TRUE(at::allclose(augment(batch, {1, 0, {0, 1, 2}}, kNone), batch, 0, 1e-5));
}

TEST(Augmentation, FlipsMirrorExactlyAndHalfTheTime) {
  AugmentationOptions options = kNone;
  options.horizontal_flip = true;
  const at::Tensor batch = images(200);
  std::vector<std::int64_t> indices;
  for (std::int64_t i = 0; i < 200; ++i) indices.push_back(i);
  const at::Tensor result = augment(batch, {1, 0, indices}, options);
  const at::Tensor mirrored = batch.flip({3});
  int flips = 0;
  for (std::int64_t i = 0; i < 200; ++i) {
    const bool kept = at::allclose(result[i], batch[i], 0, 1e-5);
    const bool flipped = at::allclose(result[i], mirrored[i], 0, 1e-5);
    EXPECT_NE(kept, flipped);
    flips += flipped;
  }
  EXPECT_NEAR(flips, 100, 29);
}

TEST(Augmentation, StaysWithinItsLimits) {
  AugmentationOptions options = kNone;
  options.shift = 0.1;
  options.rotation = 20;
  std::vector<std::int64_t> indices(500);
  for (std::size_t i = 0; i < indices.size(); ++i) indices[i] = static_cast<std::int64_t>(i);
  const at::Tensor maps = augmentation_maps({1, 2, indices}, options, 8, 8);
  const double shift = maps.select(2, 2).abs().max().item<double>();
  EXPECT_LE(shift, 0.2 + 1e-6);  // a tenth of a range of 2
  EXPECT_GT(shift, 0.19);
  const double cosine = maps.select(1, 0).select(1, 0).min().item<double>();
  EXPECT_GE(cosine, 0.9396);  // cos 20 degrees
  EXPECT_LT(cosine, 0.945);
}

TEST(Augmentation, RotationKeepsShapesOnWideImages) {
  AugmentationOptions options = kNone;
  options.rotation = 90;
  const at::Tensor map = augmentation_maps({1, 0, {5}}, options, 10, 20)[0].to(at::kDouble);
  // In pixels, x' = W/2 (m00 2x/W + m01 2y/H): an orthogonal matrix again.
  const double a = map[0][0].item<double>(), b = map[0][1].item<double>() * 20 / 10;
  EXPECT_NEAR(a * a + b * b, 1, 1e-6);
}

TEST(Augmentation, RefusesBadArguments) {
  AugmentationOptions options;
  options.shift = 0.7;
  EXPECT_THROW(augment(images(1), {1, 0, {0}}, options), ArgumentError);
  EXPECT_THROW(augment(images(2), {1, 0, {0}}, {}), ArgumentError);
  EXPECT_THROW(augment(at::zeros({1, 1, 4, 4}, at::kByte), {1, 0, {0}}, {}), ArgumentError);
}

}  // namespace
}  // namespace cubcal
