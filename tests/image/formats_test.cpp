#include <gtest/gtest.h>

#include "cubcal/image/bmp_image.h"
#include "cubcal/image/gif_image.h"
#include "cubcal/image/image_codec.h"
#include "cubcal/image/orientation.h"
#include "cubcal/image/png_encoder.h"
#include "cubcal/image/png_image.h"
#include "cubcal/image/tiff_image.h"
#include "cubcal/io/npz.h"
#include "expect_error.h"
#include "io/file_fixtures.h"

// TIFF, BMP, WebP, GIF, JPEG 2000, JPEG XL and turned JPEGs; make_formats.py made the files.

namespace cubcal::test {
namespace {

const std::string kFormats = std::string(CUBCAL_TEST_DATA) + "/formats/";

std::string extension_in(const std::string& name) { return name.substr(name.rfind('.')); }

bool is_lossy(const std::string& name) {
  return extension_in(name) == ".jpg" || name.rfind("lossy", 0) == 0;
}

Image decode_any(const std::string& bytes) {
  for (const ImageCodec& codec : image_codecs()) {
    if (codec.recognises(bytes)) return codec.decode(bytes, "buffer", {});
  }
  throw DataError("image 'buffer' cannot be read: it is of no format");
}

/// Whether this build lacks the library of the format.
bool is_absent(const std::string& name) {
  try {
    read_image_file(kFormats + name);
    return false;
  } catch (const DataError& error) {
    return contains(error.what(), "cubcal was built without");
  }
}

std::vector<std::string> format_files() {
  std::vector<std::string> names;
  const NpzReader expected(kFormats + "expected.npz");
  for (const std::string& name : expected.names()) {
    if (!is_absent(name)) names.push_back(name);
  }
  return names;
}

TEST(Formats, DecodeToWhatWasDrawn) {
  const NpzReader expected(kFormats + "expected.npz");
  EXPECT_EQ(expected.names().size(), 58U);
  EXPECT_GE(format_files().size(), 15U);  // BMP and GIF need no library
  for (const std::string& name : format_files()) {
    SCOPED_TRACE(name);
    const NdArray pixels = expected.read(name);
    const Image image = read_image_file(kFormats + name);
    ASSERT_EQ(pixels.shape(),
              (std::vector<std::size_t>{image.height, image.width, image.channels}));
    ASSERT_EQ(image.is_deep(), pixels.dtype() == DType::kU16);
    const int tolerance = is_lossy(name) ? 6 : 0;
    for (std::size_t i = 0; i < pixels.size(); ++i) {
      const int wanted =
          image.is_deep() ? pixels.as<std::uint16_t>()[i] : pixels.as<std::uint8_t>()[i];
      const int got = image.is_deep() ? image.deep_pixels[i] : image.pixels[i];
      ASSERT_NEAR(got, wanted, tolerance) << i;
    }
    const bool is_turned = contains(name, "turned") && name != "turned1.jpg";
    EXPECT_EQ(image.turned, is_turned);
  }
}

TEST(Formats, AreRefusedWhenCutShortAnywhere) {
  for (const std::string& name : format_files()) {
    SCOPED_TRACE(name);
    const std::string whole = file_bytes(kFormats + name);
    const std::size_t step = std::max<std::size_t>(1, whole.size() / 60);
    std::size_t survivors = 0;
    for (std::size_t size = 0; size < whole.size(); size += step) {
      try {
        const Image image = decode_any(whole.substr(0, size));
        EXPECT_EQ(image.pixels.size() + image.deep_pixels.size(),
                  image.height * image.width * image.channels);
        ++survivors;
      } catch (const DataError& error) {
        EXPECT_TRUE(contains(error.what(), "image 'buffer' cannot be read: ")) << error.what();
      }
    }
    // What closes a file (a trailer, tags behind the pixels, a second frame) may be missing.
    EXPECT_LE(survivors, name == "two_frames.gif" ? 40U : 6U);
  }
}

TEST(Formats, SurviveDamage) {
  for (const std::string& name : format_files()) {
    const std::string whole = file_bytes(kFormats + name);
    const std::size_t step = std::max<std::size_t>(1, whole.size() / 200);
    for (std::size_t place = 0; place < whole.size(); place += step) {
      for (const char change : {'\x01', '\x80', '\xff'}) {
        std::string damaged = whole;
        damaged[place] = static_cast<char>(damaged[place] ^ change);
        try {
          const Image image = decode_any(damaged);
          EXPECT_EQ(image.pixels.size() + image.deep_pixels.size(),
                    image.height * image.width * image.channels);
        } catch (const DataError&) {
          continue;  // refused: as good
        }
      }
    }
  }
}

/// The file with a number of 32 bits, least significant byte first, put at a place.
std::string with_number(std::string bytes, std::size_t place, std::uint32_t number) {
  for (std::size_t i = 0; i < 4; ++i)
    bytes[place + i] = static_cast<char>(number >> (8 * i) & 0xff);
  return bytes;
}

TEST(Formats, RefuseHugePromises) {
  const std::string bmp = file_bytes(kFormats + "rgb24.bmp");
  expect_error<DataError>([&] { decode_bmp(with_number(bmp, 18, 0x7fffffff), "b.bmp"); },
                          "the BMP image 'b.bmp' cannot be read: it has more than 100 million");
  expect_error<DataError>([&] { decode_bmp(with_number(bmp, 22, 0x80000000U), "b.bmp"); },
                          "it has more than 100 million");
  expect_error<DataError>([&] { decode_bmp(with_number(bmp, 18, 5000), "b.bmp"); },
                          "the file is cut short");
  const std::string gif = file_bytes(kFormats + "rgb.gif");
  expect_error<DataError>([&] { decode_gif(with_number(gif, 6, 0xffffffffU), "g.gif"); },
                          "the GIF image 'g.gif' cannot be read: it has more than 100 million");
  if (is_absent("gray16.tif")) return;
  // Width and height are the first two entries of the table that starts at 8.
  std::string tiff = file_bytes(kFormats + "gray16.tif");
  tiff = with_number(with_number(tiff, 18, 1'000'000), 30, 1'000'000);
  expect_error<DataError>([&] { decode_tiff(tiff, "t.tif"); },
                          "the TIFF image 't.tif' cannot be read: it has more than 100 million");
  tiff = with_number(with_number(tiff, 18, 9'000), 30, 9'000);
  expect_error<DataError>([&] { decode_tiff(tiff, "t.tif"); },
                          "it promises more pixels than its bytes can hold");
}

TEST(Formats, MoreTilesThanBytesAreRefused) {
  if (is_absent("alpha.jp2")) return;
  std::string bytes = file_bytes(kFormats + "alpha.jp2");
  const std::size_t head = bytes.find("\xff\x4f\xff\x51");
  ASSERT_NE(head, std::string::npos);
  bytes.replace(head + 8 + 4 * 4, 8, std::string("\0\0\0\1\0\0\0\1", 8));  // of one pixel each
  expect_error<DataError>([&] { decode_any(bytes); },
                          "it promises more tiles than its bytes can hold");
}

TEST(Formats, SayWhatIsNotDecoded) {
  std::string bmp = file_bytes(kFormats + "gray8.bmp");
  bmp[30] = 1;  // run-length coded
  expect_error<DataError>([&] { decode_bmp(bmp, "b.bmp"); }, "its pixels are compressed");
  if (is_absent("gray16.tif")) return;
  std::string tiff = file_bytes(kFormats + "gray16.tif");
  const std::string page = tiff;
  tiff[8 + 2 + 2 * 12 + 8] = 32;
  expect_error<DataError>([&] { decode_tiff(tiff, "t.tif"); }, "it has 32 bits per value");
  expect_error<DataError>([&] { decode_tiff(page, "t.tif", 1); }, "it has no page 1, only 0 to 0");
}

TEST(Orientation, IsOneWhereExifIsDamaged) {
  EXPECT_EQ(exif_orientation(""), 1);
  EXPECT_EQ(exif_orientation("II"), 1);
  EXPECT_EQ(exif_orientation(std::string_view("II*\0\xff\xff\xff\xff", 8)), 1);
  const std::string_view block("MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0",
                               26);
  EXPECT_EQ(exif_orientation(block), 6);
  std::string nine(block);
  nine[19] = 9;
  EXPECT_EQ(exif_orientation(nine), 1);
  EXPECT_EQ(jpeg_orientation("\xff\xd8\xff\xe1"), 1);
  EXPECT_EQ(webp_orientation("RIFF"), 1);
}

TEST(Orientation, OfAPngIsInItsExifChunk) {
  Image image{1, 2, 1};
  image.pixels = {7, 9};
  const std::string plain = encode_png(image);
  const std::string exif("MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0", 26);
  const std::string body = "eXIf" + exif;
  const auto big_endian = [](std::uint32_t number) {
    std::string bytes;
    for (const int shift : {24, 16, 8, 0}) bytes += static_cast<char>(number >> shift & 255U);
    return bytes;
  };
  // libpng passes over a further chunk whose checksum is wrong.
  const std::string chunk =
      big_endian(static_cast<std::uint32_t>(exif.size())) + body + big_endian(0);
  const std::size_t after_head = 8 + 12 + 13;
  const std::string turned = plain.substr(0, after_head) + chunk + plain.substr(after_head);
  EXPECT_EQ(png_orientation(turned), 6);
  const Image upright_image = decode_png(turned, "turned.png");
  EXPECT_EQ(upright_image.height, 2U);
  EXPECT_EQ(upright_image.width, 1U);
  EXPECT_TRUE(upright_image.turned);
  EXPECT_EQ(upright_image.pixels, (std::vector<std::uint8_t>{7, 9}));
  EXPECT_EQ(decode_png(plain, "plain.png").width, 2U);
  EXPECT_EQ(png_orientation(turned.substr(0, after_head + 20)), 1);
  EXPECT_EQ(png_orientation("\x89PNG"), 1);
}

TEST(Orientation, TurnsDeepImagesToo) {
  Image image{1, 2, 1};
  image.deep_pixels = {7, 9};
  const Image turned = upright(image, 6);
  EXPECT_EQ(turned.height, 2U);
  EXPECT_EQ(turned.deep_pixels, (std::vector<std::uint16_t>{7, 9}));
  EXPECT_EQ(upright(image, 2).deep_pixels, (std::vector<std::uint16_t>{9, 7}));
}

TEST(Formats, ALimitOfPixelsHoldsForEach) {
  ImageFileOptions options;
  options.dicom_frame = 0;  // of files with pages
  for (const std::string& name : format_files()) {
    const Image image = read_image_file(kFormats + name, options);
    ImageFileOptions fewer = options;
    fewer.max_pixels = image.height * image.width - 1;
    expect_error<DataError>(
        [&] { read_image_file(kFormats + name, fewer); },
        "cannot be read: it has more than " + std::to_string(fewer.max_pixels) + " pixels");
    fewer.max_pixels = image.height * image.width;
    EXPECT_NO_THROW(read_image_file(kFormats + name, fewer)) << name;
  }
}

TEST(Formats, ACodeSizeOfGifThatCannotBe) {
  using namespace std::string_literals;
  const std::string head = "GIF89a\x01\0\x01\0\x80\0\0\0\0\0\xff\xff\xff,\0\0\0\0\x01\0\x01\0\0"s;
  for (const char bits : {'\0', '\x09', '\xff'}) {
    expect_error<DataError>([&] { decode_gif(head + bits + "\x02\x44\x01\0;"s, "g.gif"); },
                            "the size of its codes is damaged");
  }
  EXPECT_EQ(decode_gif(head + "\x02\x02\x44\x01\0;"s, "g.gif").width, 1U);
}

}  // namespace
}  // namespace cubcal::test
