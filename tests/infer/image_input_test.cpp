#include "cubcal_nn/infer/image_input.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "cubcal/core/error.h"
#include "expect_error.h"

namespace cubcal::test {
namespace {

Preprocessing model_of(std::int64_t channels, std::int64_t height, std::int64_t width) {
  const auto count = static_cast<std::size_t>(channels);
  return {height, width, std::vector<double>(count, 0.5), std::vector<double>(count, 0.5)};
}

TEST(ImageInput, KeepsAnImageThatFits) {
  const Image image{2,
                    3,
                    3,
                    {0, 1, 2, 3, 4, 5, 6, 7, 8,  //
                     10, 11, 12, 13, 14, 255, 250, 240, 230}};
  const at::Tensor input = image_input(image, model_of(3, 2, 3));
  ASSERT_EQ(input.scalar_type(), at::kByte);
  ASSERT_EQ(input.sizes(), (std::vector<std::int64_t>{1, 3, 2, 3}));
  for (std::int64_t y = 0; y < 2; ++y) {
    for (std::int64_t x = 0; x < 3; ++x) {
      for (std::int64_t c = 0; c < 3; ++c) {
        EXPECT_EQ(input[0][c][y][x].item<int>(),
                  image.pixels[static_cast<std::size_t>((y * 3 + x) * 3 + c)]);
      }
    }
  }
}

TEST(ImageInput, ConvertsBetweenGrayAndColour) {
  const at::Tensor colour = image_input({1, 1, 1, {77}}, model_of(3, 1, 1));
  EXPECT_TRUE(at::equal(colour.flatten(), at::full({3}, 77, at::kByte)));
  // 0.299 * 200 + 0.587 * 100 + 0.114 * 50 = 124.2
  const at::Tensor gray = image_input({1, 1, 3, {200, 100, 50}}, model_of(1, 1, 1));
  EXPECT_EQ(gray.item<int>(), 124);
  const at::Tensor white = image_input({1, 1, 3, {255, 255, 255}}, model_of(1, 1, 1));
  EXPECT_EQ(white.item<int>(), 255);
}

TEST(ImageInput, ResizesWithAntialiasing) {
  // Columns of black and white one pixel wide: gray when made smaller, not a random column.
  Image stripes{8, 64, 1, {}};
  for (std::size_t i = 0; i < 8 * 64; ++i) {
    stripes.pixels.push_back(i % 2 == 0 ? 0 : 255);
  }
  const at::Tensor small = image_input(stripes, model_of(1, 8, 8)).to(at::kInt);
  EXPECT_GE(small.min().item<int>(), 120);
  EXPECT_LE(small.max().item<int>(), 136);
  const at::Tensor large = image_input({1, 2, 1, {0, 200}}, model_of(1, 1, 4)).flatten();
  EXPECT_EQ(large[0].item<int>(), 0);
  EXPECT_EQ(large[1].item<int>(), 50);
  EXPECT_EQ(large[2].item<int>(), 150);
  EXPECT_EQ(large[3].item<int>(), 200);
}

TEST(ImageInput, RefusesOtherNumbersOfChannels) {
  expect_error<DataError>(
      [] {
        image_input({1, 1, 3, {1, 2, 3}}, model_of(4, 1, 1));
      },
      "have 1 or 3 channels, and the model takes 4");
}

}  // namespace
}  // namespace cubcal::test
