#include <gtest/gtest.h>
#include <sys/resource.h>
#include <zlib.h>

#include <cstdlib>
#include <filesystem>
#include <set>

#include "cubcal/image/image_file.h"
#include "cubcal/image/jpeg_image.h"
#include "cubcal/image/png_image.h"
#include "cubcal/io/crc32.h"
#include "cubcal/io/csv.h"
#include "cubcal/io/npz.h"
#include "expect_error.h"
#include "io/file_fixtures.h"

namespace cubcal::test {
namespace {

const std::string kFolder = std::string(CUBCAL_TEST_DATA) + "/images/";

Image decode_png_or_jpeg(const std::string& bytes) {
  return is_png(bytes) ? decode_png(bytes, "buffer") : decode_jpeg(bytes, "buffer");
}

TEST(ImageFile, DecodesEveryKindOfPngAndJpeg) {
  const NpzReader expected(kFolder + "expected.npz");
  ASSERT_EQ(expected.names().size(), 19U);
  for (const std::string& name : expected.names()) {
    SCOPED_TRACE(name);
    const NdArray pixels = expected.read(name);
    const Image image = read_image_file(kFolder + name);
    ASSERT_EQ(pixels.shape(),
              (std::vector<std::size_t>{image.height, image.width, image.channels}));
    ASSERT_EQ(image.is_deep(), pixels.dtype() == DType::kU16);
    if (image.is_deep()) {
      ASSERT_TRUE(image.pixels.empty());
      ASSERT_EQ(image.deep_pixels,
                std::vector<std::uint16_t>(pixels.as<std::uint16_t>(),
                                           pixels.as<std::uint16_t>() + pixels.size()));
      continue;
    }
    ASSERT_EQ(image.pixels.size(), pixels.size());
    // Decoders of JPEG may differ by rounding; PNG has none.
    const int tolerance = is_jpeg(file_bytes(kFolder + name)) ? 2 : 0;
    for (std::size_t i = 0; i < pixels.size(); ++i) {
      ASSERT_NEAR(int{image.pixels[i]}, int{pixels.as<std::uint8_t>()[i]}, tolerance) << i;
    }
  }
}

TEST(ImageFile, RefusesWhatIsNoImage) {
  const TemporaryFolder folder;
  write_file_atomically(folder.file("a.png"), "ANI and more");
  expect_error<DataError>(
      [&] { read_image_file(folder.file("a.png")); },
      "a.png' is not an image of a format that is read (PNG, JPEG, TIFF, BMP, WebP, GIF, "
      "JPEG 2000, JPEG XL and DICOM)");
  write_file_atomically(folder.file("empty.png"), "");
  expect_error<DataError>([&] { read_image_file(folder.file("empty.png")); }, "is not an image");
  expect_error<IoError>([&] { read_image_file(folder.file("absent.png")); }, "absent.png");
}

TEST(ImageFile, RefusesFilesCutShortAnywhere) {
  for (const char* name :
       {"rgb8.png", "palette4.png", "gray16.png", "rgb.jpg", "rgb_progressive.jpg"}) {
    const std::string whole = file_bytes(kFolder + name);
    for (std::size_t size = 8; size + 2 < whole.size(); size += 5) {
      const std::string message =
          message_of<DataError>([&] { decode_png_or_jpeg(whole.substr(0, size)); });
      EXPECT_TRUE(contains(message, "image 'buffer' cannot be read: ")) << name << " " << size;
    }
  }
}

TEST(ImageFile, SurvivesDamage) {
  for (const char* name : {"rgb8_interlaced.png", "palette4_transparent.png",
                           "rgba16_interlaced.png", "rgb.jpg", "rgb_progressive.jpg", "cmyk.jpg"}) {
    const std::string whole = file_bytes(kFolder + name);
    for (std::size_t place = 8; place < whole.size(); ++place) {
      for (const char change : {'\x01', '\x80', '\xff'}) {
        std::string damaged = whole;
        damaged[place] = static_cast<char>(damaged[place] ^ change);
        try {
          const Image image = decode_png_or_jpeg(damaged);
          EXPECT_EQ(image.pixels.size() + image.deep_pixels.size(),
                    image.height * image.width * image.channels);
        } catch (const DataError&) {
          continue;  // refused: as good
        }
      }
    }
  }
}

TEST(ImageFile, RefusesPromisesOfTooManyPixels) {
  // A JPEG head with 65,500 x 65,500 pixels; the size stands after the start of frame marker.
  std::string bytes = file_bytes(kFolder + "gray.jpg");
  const std::size_t frame = bytes.find("\xff\xc0");
  ASSERT_NE(frame, std::string::npos);
  bytes.replace(frame + 5, 4, "\xff\xdc\xff\xdc");
  expect_error<DataError>([&] { decode_jpeg(bytes, "bomb.jpg"); },
                          "the JPEG image 'bomb.jpg' cannot be read: it has more than 100 million");
  // 8192 x 8192 pixels would be allowed, but need more bytes than there are.
  bytes.replace(frame + 5, 4, std::string("\x20\x00\x20\x00", 4));
  expect_error<DataError>([&] { decode_jpeg(bytes, "bomb.jpg"); },
                          "it promises more pixels than its bytes can hold");
}

TEST(ImageFile, RefusesArithmeticCoding) {
  std::string bytes = file_bytes(kFolder + "gray.jpg");
  bytes[bytes.find("\xff\xc0") + 1] = '\xc9';
  expect_error<DataError>([&] { decode_jpeg(bytes, "a.jpg"); },
                          "'a.jpg' cannot be read: it is arithmetic-coded, which is not supported");
}

const std::string kGrayBytes("\x08\0\0\0\0", 5);
const std::string kRgbaWords("\x10\x06\0\0\0", 5);

std::string big_endian(std::uint32_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xff);
  return bytes;
}

std::string png_chunk(const std::string& kind, const std::string& data) {
  const std::string both = kind + data;
  return big_endian(static_cast<std::uint32_t>(data.size())) + both +
         big_endian(crc32_of({reinterpret_cast<const std::byte*>(both.data()), both.size()}));
}

/// A PNG that is nothing but a head of this size and kind, so many bytes that are no pixels, and an
/// end.
std::string png_head(std::uint32_t width, std::uint32_t height,
                     const std::string& kind_of_pixels = kGrayBytes, std::size_t body = 1) {
  return "\x89PNG\r\n\x1a\n" +
         png_chunk("IHDR", big_endian(width) + big_endian(height) + kind_of_pixels) +
         png_chunk("IDAT", std::string(body, 'x')) + png_chunk("IEND", "");
}

/// Kilobytes.
long peak_memory() {
  struct rusage usage {};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

std::string inflatable(const std::string& text) {
  uLongf size = ::compressBound(text.size());
  std::string packed(size, '\0');
  EXPECT_EQ(::compress(reinterpret_cast<Bytef*>(packed.data()), &size,
                       reinterpret_cast<const Bytef*>(text.data()), text.size()),
            Z_OK);
  packed.resize(size);
  return packed;
}

// Of text, suggested palettes and the like libpng keeps what it inflates.
TEST(ImageFile, WhatIsNoPixelOfAPngTakesNoMemory) {
  const std::string image = file_bytes(kFolder + "rgb8.png");
  constexpr std::size_t head = 33;  // signature and IHDR
  const std::string text =
      png_chunk("zTXt", std::string("Comment\0\0", 9) + inflatable(std::string(7'000'000, 'a')));
  std::string bomb = image.substr(0, head);
  for (int i = 0; i < 100; ++i) bomb += text;
  bomb += image.substr(head);
  const long before = peak_memory();
  EXPECT_EQ(decode_png(bomb, "bomb.png").pixels, decode_png(image, "image.png").pixels);
  EXPECT_LT(peak_memory() - before, 100'000);
}

TEST(ImageFile, RefusesPngPromisesOfTooManyPixels) {
  expect_error<DataError>([&] { decode_png(png_head(20'000, 20'000), "bomb.png"); },
                          "the PNG image 'bomb.png' cannot be read: it has more than 100 million");
  expect_error<DataError>([&] { decode_png(png_head(5'000, 5'000), "bomb.png"); },
                          "it promises more pixels than its bytes can hold");
  expect_error<DataError>(
      [&] { decode_png(png_head(9'999, 9'999, kRgbaWords, 800'000), "bomb.png"); },
      "its pixels take more than 400 million bytes");
}

TEST(ImageFile, RealFiles) {
  const std::string folder = std::string(CUBCAL_SHARED_DIR) + "/data/formats/";
  if (!std::filesystem::exists(folder + "labels.csv")) GTEST_SKIP() << "no " << folder;
  const CsvTable table = read_csv(folder + "labels.csv");
  std::size_t seen = 0;
  for (const std::vector<std::string>& row : table.rows) {
    if (row[table.column("format")] == "npz") continue;
    const std::string path = folder + row[table.column("file")];
    SCOPED_TRACE(path);
    ++seen;
    if (row[table.column("expect")] != "ok") {
      expect_error<DataError>([&] { read_image_file(path); },
                              path + "' cannot be read: Premature end of JPEG file");
      continue;
    }
    const Image image = read_image_file(path);
    EXPECT_EQ(std::to_string(image.width), row[table.column("width")]);
    EXPECT_EQ(std::to_string(image.height), row[table.column("height")]);
    EXPECT_EQ(image.channels, row[table.column("channels")] == "1" ? 1U : 3U);
    EXPECT_EQ(image.is_deep(), row[table.column("bits")] != "8");
  }
  EXPECT_EQ(seen, 11U);
}

TEST(ImageFile, RealDeepPngKeepsItsLowBytes) {
  const std::string path = std::string(CUBCAL_SHARED_DIR) + "/data/formats/images/chest_gray16.png";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no " << path;
  const Image image = read_image_file(path);
  std::set<unsigned> low_bytes;
  for (const std::uint16_t level : image.deep_pixels) low_bytes.insert(level & 0xffU);
  EXPECT_EQ(low_bytes.size(), 256U);
}

}  // namespace
}  // namespace cubcal::test
