#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "cubcal/io/csv.h"
#include "cubcal/io/image_file.h"
#include "cubcal/io/jpeg_image.h"
#include "cubcal/io/npz.h"
#include "cubcal/io/png_image.h"
#include "expect_error.h"
#include "io/file_fixtures.h"

namespace cubcal::test {
namespace {

const std::string kFolder = std::string(CUBCAL_TEST_DATA) + "/images/";

Image decode(const std::string& bytes) {
  return is_png(bytes) ? decode_png(bytes, "buffer") : decode_jpeg(bytes, "buffer");
}

TEST(ImageFile, DecodesEveryKindOfPngAndJpeg) {
  const NpzReader expected(kFolder + "expected.npz");
  ASSERT_EQ(expected.names().size(), 16U);
  for (const std::string& name : expected.names()) {
    SCOPED_TRACE(name);
    const NdArray pixels = expected.read(name);
    const Image image = read_image_file(kFolder + name);
    ASSERT_EQ(pixels.shape(),
              (std::vector<std::size_t>{image.height, image.width, image.channels}));
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
  write_file_atomically(folder.file("a.png"), "GIF89a and more");
  expect_error<DataError>([&] { read_image_file(folder.file("a.png")); },
                          "a.png' is neither a PNG nor a JPEG image");
  write_file_atomically(folder.file("empty.png"), "");
  expect_error<DataError>([&] { read_image_file(folder.file("empty.png")); }, "is neither a PNG");
  expect_error<IoError>([&] { read_image_file(folder.file("absent.png")); }, "absent.png");
}

TEST(ImageFile, RefusesFilesCutShortAnywhere) {
  for (const char* name : {"rgb8.png", "palette4.png", "rgb.jpg", "rgb_progressive.jpg"}) {
    const std::string whole = file_bytes(kFolder + name);
    for (std::size_t size = 8; size + 2 < whole.size(); size += 5) {
      const std::string message = message_of<DataError>([&] { decode(whole.substr(0, size)); });
      EXPECT_TRUE(contains(message, "image 'buffer' cannot be read: ")) << name << " " << size;
    }
  }
}

TEST(ImageFile, SurvivesDamage) {
  for (const char* name : {"rgb8_interlaced.png", "palette4_transparent.png", "rgb.jpg",
                           "rgb_progressive.jpg", "cmyk.jpg"}) {
    const std::string whole = file_bytes(kFolder + name);
    for (std::size_t place = 8; place < whole.size(); ++place) {
      for (const char change : {'\x01', '\x80', '\xff'}) {
        std::string damaged = whole;
        damaged[place] = static_cast<char>(damaged[place] ^ change);
        try {
          const Image image = decode(damaged);
          EXPECT_EQ(image.pixels.size(), image.height * image.width * image.channels);
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
}

TEST(ImageFile, RealFiles) {
  const std::string folder = std::string(CUBCAL_SHARED_DIR) + "/data/formats/";
  if (!std::filesystem::exists(folder + "labels.csv")) GTEST_SKIP() << "no " << folder;
  const CsvTable table = read_csv(folder + "labels.csv");
  std::size_t seen = 0;
  for (const std::vector<std::string>& row : table.rows) {
    const std::string& format = row[table.column("format")];
    if (format != "png" && format != "jpeg") continue;
    const std::string path = folder + row[table.column("file")];
    SCOPED_TRACE(path);
    ++seen;
    if (row[table.column("expect")] != "ok") {
      expect_error<DataError>([&] { read_image_file(path); }, "cannot be read");
      continue;
    }
    const Image image = read_image_file(path);
    EXPECT_EQ(std::to_string(image.width), row[table.column("width")]);
    EXPECT_EQ(std::to_string(image.height), row[table.column("height")]);
    EXPECT_EQ(image.channels, row[table.column("channels")] == "1" ? 1U : 3U);
  }
  EXPECT_GE(seen, 10U);
}

}  // namespace
}  // namespace cubcal::test
