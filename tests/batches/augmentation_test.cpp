#include "cubcal_nn/batches/augmentation.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>

#include "cubcal/core/error.h"

namespace cubcal {
namespace {

at::Tensor images(std::int64_t count) {
  return at::arange(count * 2 * 8 * 8, at::kFloat).sin().reshape({count, 2, 8, 8});
}

const AugmentationOptions kNone;
const AugmentationOptions kSome = {true, true, 0.06, 10};

TEST(Augmentation, AnImageDoesNotDependOnItsBatch) {
  const at::Tensor batch = images(4);
  const at::Tensor together = augment(batch, {3, 7, {10, 11, 12, 13}}, kSome, 8, 8);
  const at::Tensor alone = augment(batch.slice(0, 2, 3), {3, 7, {12}}, kSome, 8, 8);
  EXPECT_TRUE(at::allclose(together.slice(0, 2, 3), alone, 1e-6, 1e-6));
  EXPECT_TRUE(at::equal(together, augment(batch, {3, 7, {10, 11, 12, 13}}, kSome, 8, 8)));
}

TEST(Augmentation, ChangesWithEpochIndexAndSeed) {
  const at::Tensor base = augmentation_maps({3, 7, {10}}, kSome, 8, 8);
  EXPECT_FALSE(at::equal(base, augmentation_maps({3, 8, {10}}, kSome, 8, 8)));
  EXPECT_FALSE(at::equal(base, augmentation_maps({3, 7, {11}}, kSome, 8, 8)));
  EXPECT_FALSE(at::equal(base, augmentation_maps({4, 7, {10}}, kSome, 8, 8)));
}

TEST(Augmentation, WithoutChangesNothingChanges) {
  const at::Tensor batch = images(3);
  EXPECT_TRUE(at::allclose(augment(batch, {1, 0, {0, 1, 2}}, kNone, 8, 8), batch, 0, 1e-5));
}

TEST(Augmentation, FlipsMirrorExactlyAndHalfTheTime) {
  AugmentationOptions options = kNone;
  options.horizontal_flip = true;
  const at::Tensor batch = images(200);
  std::vector<std::int64_t> indices;
  for (std::int64_t i = 0; i < 200; ++i) indices.push_back(i);
  const at::Tensor result = augment(batch, {1, 0, indices}, options, 8, 8);
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

TEST(Augmentation, WithoutACropTheMiddleIsTaken) {
  const at::Tensor batch = images(2);
  const at::Tensor middle = batch.slice(2, 1, 7).slice(3, 2, 6);
  EXPECT_TRUE(at::allclose(augment(batch, {1, 0, {0, 1}}, kNone, 6, 4), middle, 0, 1e-5));
}

TEST(Augmentation, CropsLieInsideAndHaveTheAreaAskedFor) {
  AugmentationOptions options = kNone;
  options.crop_least = 0.25;
  options.crop_largest = 0.64;
  std::vector<std::int64_t> indices(400);
  for (std::size_t i = 0; i < indices.size(); ++i) indices[i] = static_cast<std::int64_t>(i);
  const at::Tensor maps = augmentation_maps({1, 2, indices}, options, 8, 8).to(at::kDouble);
  double least = 1, largest = 0;
  for (std::int64_t i = 0; i < 400; ++i) {
    const double half_width = maps[i][0][0].item<double>();
    const double half_height = maps[i][1][1].item<double>();
    const double area = half_width * half_height;
    least = std::min(least, area);
    largest = std::max(largest, area);
    EXPECT_LE(std::abs(maps[i][0][2].item<double>()) + half_width, 1 + 1e-6);
    EXPECT_LE(std::abs(maps[i][1][2].item<double>()) + half_height, 1 + 1e-6);
    EXPECT_LE(std::max(half_width / half_height, half_height / half_width), 4.0 / 3 + 1e-6);
    EXPECT_EQ(maps[i][0][1].item<double>(), 0) << "no rotation was asked for";
  }
  EXPECT_NEAR(least, 0.25, 0.01);
  EXPECT_NEAR(largest, 0.64, 0.01);
}

TEST(Augmentation, ACropIsWhatInterpolationOfThatPartGives) {
  AugmentationOptions options = kNone;
  options.crop_least = options.crop_largest = 0.25;
  options.crop_aspect = 1;
  // A plane stays the same plane: levels at the crop's pixels are known without a second sampler.
  const at::Tensor x = at::arange(16, at::kFloat).view({1, 1, 1, 16}).expand({1, 1, 16, 16});
  const at::Tensor map = augmentation_maps({5, 1, {3}}, options, 16, 16)[0].to(at::kDouble);
  const at::Tensor result = augment(x.contiguous(), {5, 1, {3}}, options, 8, 8);
  for (std::int64_t j = 0; j < 8; ++j) {
    const double out = (2 * static_cast<double>(j) + 1) / 8 - 1;
    const double in = map[0][0].item<double>() * out + map[0][2].item<double>();
    EXPECT_NEAR(result[0][0][3][j].item<double>(), ((in + 1) * 16 - 1) / 2, 1e-4);
  }
}

TEST(Augmentation, NothingIsOnUnlessAskedFor) {
  EXPECT_FALSE(changes_images({}));
  const at::Tensor maps = augmentation_maps({3, 7, {10, 11}}, {}, 8, 8);
  const at::Tensor identity = at::tensor({1.0F, 0.0F, 0.0F, 0.0F, 1.0F, 0.0F}).view({2, 3});
  for (std::int64_t i = 0; i < 2; ++i) EXPECT_TRUE(at::equal(maps[i], identity));
  const auto is_on = [](auto change) {
    AugmentationOptions options;
    change(options);
    return changes_images(options);
  };
  EXPECT_TRUE(is_on([](auto& options) { options.horizontal_flip = true; }));
  EXPECT_TRUE(is_on([](auto& options) { options.vertical_flip = true; }));
  EXPECT_TRUE(is_on([](auto& options) { options.shift = 0.01; }));
  EXPECT_TRUE(is_on([](auto& options) { options.rotation = 1; }));
  EXPECT_TRUE(is_on([](auto& options) { options.crop_least = 0.9; }));
  EXPECT_TRUE(is_on([](auto& options) { options.brightness = 0.1; }));
  EXPECT_TRUE(is_on([](auto& options) { options.contrast = 0.1; }));
  EXPECT_FALSE(is_on([](auto& options) { options.crop_aspect = 2; })) << "without a crop";
}

TEST(Augmentation, AnOptionChangesNothingButItself) {
  AugmentationOptions options = kSome;
  const at::Tensor before = augmentation_maps({3, 7, {10, 11}}, options, 8, 8);
  options.brightness = 0.3;
  EXPECT_TRUE(at::equal(before, augmentation_maps({3, 7, {10, 11}}, options, 8, 8)));
  options.horizontal_flip = false;
  const at::Tensor after = augmentation_maps({3, 7, {10, 11}}, options, 8, 8);
  EXPECT_TRUE(at::equal(before.select(2, 2), after.select(2, 2))) << "shifts";
}

Preprocessing plain(std::size_t channels) {
  Preprocessing preprocessing;
  preprocessing.height = preprocessing.width = 8;
  preprocessing.mean.assign(channels, 0.25);
  preprocessing.standard_deviation.assign(channels, 0.5);
  return preprocessing;
}

TEST(Augmentation, BrightnessAndContrastAreThoseOfTheLevels) {
  const at::Tensor levels = 0.2 + 0.8 * at::rand({2, 3, 8, 8});  // 0 would not tell the factor
  const at::Tensor standard = (levels - 0.25) / 0.5;
  const AugmentationKey key{1, 0, {4, 5}};
  AugmentationOptions options = kNone;
  EXPECT_TRUE(at::equal(change_levels(standard, key, options, plain(3)), standard));

  options.brightness = 0.5;
  at::Tensor changed = change_levels(standard, key, options, plain(3)) * 0.5 + 0.25;
  for (std::int64_t i = 0; i < 2; ++i) {
    const double factor = (changed[i].min() / levels[i].min()).item<double>();
    EXPECT_GE(factor, 0.5);
    EXPECT_LE(factor, 1.5);
    EXPECT_TRUE(at::allclose(changed[i], (levels[i] * factor).clamp(0, 1), 0, 1e-5));
  }

  options = kNone;
  options.contrast = 0.5;
  changed = change_levels(standard, key, options, plain(3)) * 0.5 + 0.25;
  for (std::int64_t i = 0; i < 2; ++i) {
    const at::Tensor luma = at::tensor({0.299F, 0.587F, 0.114F}).view({3, 1, 1});
    const double gray = (levels[i] * luma).sum(0).mean().item<double>();
    // From a pixel near the mean, which is not cut off, the factor can be read.
    const at::Tensor distance = (levels[i] - gray).flatten();
    const std::int64_t pixel = (distance.abs() - 0.2).abs().argmin().item<std::int64_t>();
    const double factor = ((changed[i].flatten()[pixel] - gray) / distance[pixel]).item<double>();
    EXPECT_GE(factor, 0.5 - 1e-4);
    EXPECT_LE(factor, 1.5 + 1e-4);
    EXPECT_TRUE(
        at::allclose(changed[i], (gray + (levels[i] - gray) * factor).clamp(0, 1), 0, 1e-4));
  }
}

TEST(Augmentation, RefusesBadArguments) {
  AugmentationOptions options;
  options.shift = 0.7;
  EXPECT_THROW(augment(images(1), {1, 0, {0}}, options, 8, 8), ArgumentError);
  options = {};
  options.crop_least = 0.9;
  options.crop_largest = 0.5;
  EXPECT_THROW(augment(images(1), {1, 0, {0}}, options, 8, 8), ArgumentError);
  EXPECT_THROW(augment(images(2), {1, 0, {0}}, {}, 8, 8), ArgumentError);
  EXPECT_THROW(augment(at::zeros({1, 1, 4, 4}, at::kByte), {1, 0, {0}}, {}, 4, 4), ArgumentError);
}

}  // namespace
}  // namespace cubcal
