#include "cubcal/image/image_resize.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "cubcal/image/png_encoder.h"
#include "cubcal/io/npz.h"
#include "expect_error.h"
#include "io/file_fixtures.h"

namespace cubcal::test {
namespace {

const std::string kReference = std::string(CUBCAL_TEST_DATA) + "/resize/expected.npz";

Image image_of(const NdArray& array) {
  Image image{array.shape()[0], array.shape()[1], array.shape()[2]};
  if (array.dtype() == DType::kU16) {
    const auto* first = array.as<std::uint16_t>();
    image.deep_pixels.assign(first, first + array.size());
  } else {
    const auto* first = array.as<std::uint8_t>();
    image.pixels.assign(first, first + array.size());
  }
  return image;
}

/// The largest difference of two images of the same kind, in levels.
int difference(const Image& a, const Image& b) {
  EXPECT_EQ(a.height, b.height);
  EXPECT_EQ(a.width, b.width);
  EXPECT_EQ(a.channels, b.channels);
  EXPECT_EQ(a.pixels.size(), b.pixels.size());
  EXPECT_EQ(a.deep_pixels.size(), b.deep_pixels.size());
  int largest = 0;
  for (std::size_t i = 0; i < std::min(a.pixels.size(), b.pixels.size()); ++i) {
    largest = std::max(largest, std::abs(int{a.pixels[i]} - int{b.pixels[i]}));
  }
  for (std::size_t i = 0; i < std::min(a.deep_pixels.size(), b.deep_pixels.size()); ++i) {
    largest = std::max(largest, std::abs(int{a.deep_pixels[i]} - int{b.deep_pixels[i]}));
  }
  return largest;
}

TEST(ImageResize, ARowHalved) {
  const Image image{2, 4, 1, {0, 80, 160, 240, 0, 80, 160, 240}, {}};
  EXPECT_EQ(resize_image(image, 1, 2).pixels, (std::vector<std::uint8_t>{57, 183}));
}

TEST(ImageResize, EqualsTorchvision) {
  const NpzReader reference(kReference);
  std::size_t compared = 0;
  for (const std::string& name : reference.names()) {
    const std::size_t underscore = name.find('_');
    if (underscore == std::string::npos) continue;
    SCOPED_TRACE(name);
    const Image source = image_of(reference.read(name.substr(0, underscore)));
    const Image expected = image_of(reference.read(name));
    const Image resized = resize_image(source, expected.height, expected.width);
    // Weights are rounded to 32768ths: at most 1 level of 8 bits, and half of 1/257 per weight.
    EXPECT_LE(difference(resized, expected), source.is_deep() ? 24 : 1);
    ++compared;
  }
  EXPECT_EQ(compared, 24U);
}

TEST(ImageResize, SameSizeStaysAsItIs) {
  const NpzReader reference(kReference);
  for (const char* name : {"byte1", "byte3", "deep1"}) {
    const Image source = image_of(reference.read(name));
    EXPECT_EQ(difference(resize_image(source, source.height, source.width), source), 0);
  }
}

TEST(ImageResize, OneAxisLeavesTheOtherAlone) {
  const Image stripes{2, 3, 1, {10, 20, 30, 10, 20, 30}};
  EXPECT_EQ(
      resize_image(stripes, 5, 3).pixels,
      (std::vector<std::uint8_t>{10, 20, 30, 10, 20, 30, 10, 20, 30, 10, 20, 30, 10, 20, 30}));
}

TEST(ImageResize, FlatImagesStayFlat) {
  for (const std::size_t size : {1U, 2U, 9U, 33U, 200U}) {
    const Image white{37, 41, 1, std::vector<std::uint8_t>(37 * 41, 255)};
    const Image resized = resize_image(white, size, size);
    EXPECT_EQ(*std::min_element(resized.pixels.begin(), resized.pixels.end()), 255) << size;
    const Image deep{37, 41, 1, {}, std::vector<std::uint16_t>(37 * 41, 65535)};
    const Image deep_resized = resize_image(deep, size, size);
    EXPECT_EQ(*std::min_element(deep_resized.deep_pixels.begin(), deep_resized.deep_pixels.end()),
              65535)
        << size;
  }
}

TEST(ImageResize, HalvingAveragesWithTriangleWeights) {
  // Output 0 of 4 to 2 has centre 1 and support 2: pixels 0, 1, 2 weigh 3/4, 3/4, 1/4, in sum 7/4.
  const Image row{1, 4, 1, {70, 0, 140, 0}};
  EXPECT_EQ(resize_image(row, 1, 2).pixels[0], 50);
}

TEST(ImageResize, LongThinImages) {
  const Image line{1, 3'000'000, 1, std::vector<std::uint8_t>(3'000'000, 77)};
  EXPECT_EQ(resize_image(line, 1, 1).pixels, std::vector<std::uint8_t>{77});
  EXPECT_EQ(resize_image(Image{1, 1, 1, {9}}, 1, 5).pixels, std::vector<std::uint8_t>(5, 9));
}

TEST(ImageResize, ShorterSideKeepsProportions) {
  const Image wide{150, 200, 3, std::vector<std::uint8_t>(150 * 200 * 3, 1)};
  EXPECT_EQ(resize_shorter_side(wide, 224).height, 224U);
  EXPECT_EQ(resize_shorter_side(wide, 224).width, 298U);  // 298.67 rounded down
  const Image tall{200, 150, 1, std::vector<std::uint8_t>(150 * 200, 1)};
  EXPECT_EQ(resize_shorter_side(tall, 64).height, 85U);
  EXPECT_EQ(resize_shorter_side(tall, 64).width, 64U);
}

TEST(ImageResize, CentreCropTakesTheMiddle) {
  const Image image{3, 5, 1, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14}};
  EXPECT_EQ(centre_crop(image, 1, 3).pixels, (std::vector<std::uint8_t>{6, 7, 8}));
  // One pixel to spare starts at 0, three at 2, as Python rounds halves to even.
  EXPECT_EQ(centre_crop(image, 2, 4).pixels, (std::vector<std::uint8_t>{0, 1, 2, 3, 5, 6, 7, 8}));
  EXPECT_EQ(centre_crop(image, 1, 2).pixels, (std::vector<std::uint8_t>{7, 8}));
  EXPECT_EQ(centre_crop(image, 3, 5).pixels, image.pixels);
  const Image deep{1, 3, 1, {}, {100, 2000, 30000}};
  EXPECT_EQ(centre_crop(deep, 1, 1).deep_pixels, std::vector<std::uint16_t>{2000});
}

TEST(ImageResize, Channels) {
  const Image rgb{1, 2, 3, {255, 0, 0, 10, 20, 31}};
  const Image gray = to_channels(rgb, 1);
  EXPECT_EQ(gray.channels, 1U);
  EXPECT_EQ(gray.pixels, (std::vector<std::uint8_t>{76, 18}));  // 76.245, 18.264
  EXPECT_EQ(to_channels(gray, 3).pixels, (std::vector<std::uint8_t>{76, 76, 76, 18, 18, 18}));
  EXPECT_EQ(to_channels(rgb, 3).pixels, rgb.pixels);
  const Image deep{1, 1, 3, {}, {65535, 65535, 65535}};
  EXPECT_EQ(to_channels(deep, 1).deep_pixels, std::vector<std::uint16_t>{65535});
}

TEST(ImageResize, EightBits) {
  const Image deep{1, 5, 1, {}, {0, 128, 129, 257, 65535}};
  const Image bytes = to_8_bits(deep);
  EXPECT_EQ(bytes.pixels, (std::vector<std::uint8_t>{0, 0, 1, 1, 255}));
  EXPECT_FALSE(bytes.is_deep());
  EXPECT_EQ(to_8_bits(bytes).pixels, bytes.pixels);
}

TEST(ImageResize, RefusesWhatHasNoMeaning) {
  const Image image{2, 2, 1, {1, 2, 3, 4}};
  expect_error<ArgumentError>([&] { resize_image(image, 0, 5); },
                              "an image can have 1 to 100 million pixels, not 5 x 0");
  expect_error<ArgumentError>([&] { resize_image(image, 20'000, 20'000); }, "not 20000 x 20000");
  expect_error<ArgumentError>([&] { resize_shorter_side(image, 0); }, "100 million pixels");
  expect_error<ArgumentError>([&] { centre_crop(image, 3, 1); },
                              "an image of 2 x 2 pixels has no middle of 1 x 3");
  expect_error<ArgumentError>([&] { to_channels(image, 4); },
                              "an image can have 1 or 3 channels, not 4");
  expect_error<ArgumentError>(
      [&] {
        resize_image(Image{2, 2, 1, {1, 2, 3}}, 1, 1);
      },
      "an image of 2 x 2 pixels and 1 channels cannot have 3 levels");
  expect_error<ArgumentError>(
      [&] {
        to_8_bits(Image{2, 2, 2, {}});
      },
      "an image must have 1 or 3 channels, not 2");
  expect_error<ArgumentError>([&] { to_8_bits(Image{0, 2, 1, {}}); }, "an image must have pixels");
}

TEST(ImageResize, RealImagesEqualTorchvision) {
  const std::string formats = std::string(CUBCAL_SHARED_DIR) + "/data/formats/images/";
  if (!std::filesystem::exists(formats)) GTEST_SKIP() << "no " << formats;
  if (std::system("/usr/bin/python3 -c 'from importlib.util import find_spec; import sys; "
                  "sys.exit(find_spec(\"torchvision\") is None)' 2>/dev/null") != 0) {
    GTEST_SKIP() << "Debian's python3-torchvision is not here";
  }
  const TemporaryFolder folder;
  const std::vector<std::string> names = {"aptos_rgb8.png", "chest_palette8.png", "nih_rgb8_64.png",
                                          "ham_rgb.jpg", "chest_gray.jpg"};
  for (const std::string& name : names) {
    write_file_atomically(folder.file(name + ".png"), encode_png(read_image_file(formats + name)));
  }
  const std::string command = "/usr/bin/python3 '" + std::string(CUBCAL_TEST_DATA) +
                              "/../image/resize_with_torchvision.py' '" + folder.path() + "' ";
  ASSERT_EQ(std::system((command + "224x224 97x131").c_str()), 0);
  for (const std::string& name : names) {
    SCOPED_TRACE(name);
    const Image image = read_image_file(formats + name);
    const auto expected = [&](const std::string& size) {
      return image_of(read_npy(folder.file(name + ".png." + size + ".npy")));
    };
    EXPECT_LE(difference(resize_image(image, 224, 224), expected("224x224")), 1);
    EXPECT_LE(difference(resize_image(image, 97, 131), expected("97x131")), 1);
  }
}

}  // namespace
}  // namespace cubcal::test
