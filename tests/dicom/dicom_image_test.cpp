#include "cubcal/dicom/dicom_image.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "dicom/dicom_file.h"
#include "expect_error.h"
#include "io/file_fixtures.h"

namespace cubcal::test {
namespace {

using Encoding = DicomFileBuilder::Encoding;
using Bytes = std::vector<std::uint8_t>;
using Words = std::vector<std::uint16_t>;

constexpr DicomTag kPixels = 0x7fe00010;
constexpr DicomTag kPhotometric = 0x00280004;
constexpr DicomTag kFrames = 0x00280008;
constexpr DicomTag kBitsStored = 0x00280101;
constexpr DicomTag kHighBit = 0x00280102;
constexpr DicomTag kSigned = 0x00280103;
constexpr DicomTag kPadding = 0x00280120;
constexpr DicomTag kCentre = 0x00281050;
constexpr DicomTag kWidth = 0x00281051;
constexpr DicomTag kIntercept = 0x00281052;
constexpr DicomTag kSlope = 0x00281053;
constexpr DicomTag kFunction = 0x00281056;

constexpr const char* kRle = "1.2.840.10008.1.2.5";

Image decode(const std::string& bytes, const ImageFileOptions& options = {}) {
  return decode_dicom(bytes, "a.dcm", options);
}

std::string reason_of(const std::string& bytes, const ImageFileOptions& options = {}) {
  const std::string start = "the DICOM image 'a.dcm' cannot be read: ";
  const std::string message = message_of<DataError>([&] { decode(bytes, options); });
  EXPECT_EQ(message.substr(0, start.size()), start);
  return message.substr(std::min(start.size(), message.size()));
}

ImageFileOptions with_window(DicomWindow window) {
  ImageFileOptions options;
  options.dicom_window = window;
  return options;
}

ImageFileOptions with_frame(std::size_t frame) {
  ImageFileOptions options;
  options.dicom_frame = frame;
  return options;
}

/// A gray image of 12 bits in 16, in a row.
DicomFileBuilder row_of(const Words& values, Encoding encoding = Encoding::kExplicit) {
  auto file = DicomFileBuilder::gray(1, static_cast<std::uint16_t>(values.size()), 16, encoding);
  file.words(kBitsStored, {12}).words(kHighBit, {11}).words(kPixels, values, "OW");
  return file;
}

/// A gray image of bytes, in a row.
DicomFileBuilder bytes_of(const std::string& values) {
  auto file = DicomFileBuilder::gray(1, static_cast<std::uint16_t>(values.size()), 8);
  file.bytes(kPixels, "OB", values);
  return file;
}

TEST(DicomImage, EveryEncodingGivesTheSame) {
  for (const Encoding encoding : {Encoding::kImplicit, Encoding::kExplicit, Encoding::kBigEndian}) {
    auto file = row_of({0, 1000, 2000, 4095}, encoding);
    file.text(kCentre, "DS", "2048").text(kWidth, "DS", "4096");
    const Image image = decode(file.file());
    EXPECT_EQ(image.height, 1U);
    EXPECT_EQ(image.width, 4U);
    EXPECT_EQ(image.channels, 1U);
    // low = 2047.5 - 2047.5 = 0, high = 4095.
    EXPECT_EQ(image.deep_pixels, (Words{0, 16004, 32007, 65535}));
  }
}

TEST(DicomImage, WindowIsTheLinearFormulaOfTheStandard) {
  // C.11.2.1.2.1: c = 60, w = 400 after the intercept: 0 up to -140, the largest above 259.
  auto file = row_of({883, 884, 885, 1084, 1283, 1284});
  file.text(kIntercept, "DS", "-1024").text(kSlope, "DS", "1 ");
  file.text(kCentre, "DS", "60\\100").text(kWidth, "DS", "400\\10");
  const auto level = [](double x) {
    return static_cast<std::uint16_t>(std::lround(((x - 59.5) / 399 + 0.5) * 65535));
  };
  EXPECT_EQ(decode(file.file()).deep_pixels, (Words{0, 0, level(-139), level(60), 65535, 65535}));
  EXPECT_EQ(level(259), 65535);
}

TEST(DicomImage, OtherWindowFunctions) {
  auto file = row_of({0, 1000, 1500, 2000});
  file.text(kCentre, "DS", "1000").text(kWidth, "DS", "2000");
  file.text(kFunction, "CS", "LINEAR_EXACT");
  EXPECT_EQ(decode(file.file()).deep_pixels, (Words{0, 32768, 49151, 65535}));
  file.text(kFunction, "CS", "SIGMOID");
  // 1 / (1 + exp(2)), 1/2, 1 / (1 + exp(-1)), 1 / (1 + exp(-2))
  EXPECT_EQ(decode(file.file()).deep_pixels, (Words{7812, 32768, 47910, 57723}));
  file.text(kFunction, "CS", "CUBIC");
  EXPECT_EQ(reason_of(file.file()),
            "the function of its window is 'CUBIC' where LINEAR, LINEAR_EXACT and SIGMOID are "
            "known");
  file.without(kFunction).text(kWidth, "DS", "-5");
  EXPECT_EQ(reason_of(file.file()),
            "its window is -5 wide: ask for the percentile or the full window instead");
  EXPECT_EQ(decode(file.file(), with_window(DicomWindow::kFull)).deep_pixels.back(), 65535);
  // A window of width 1 is a threshold.
  file.text(kCentre, "DS", "1500.5").text(kWidth, "DS", "1");
  EXPECT_EQ(decode(file.file()).deep_pixels, (Words{0, 0, 0, 65535}));
}

TEST(DicomImage, FullAndPercentileWindows) {
  Words values(1000, 500);
  values[0] = 0;     // 0.1 %
  values[1] = 4000;  // 0.1 %
  std::fill(values.begin() + 2, values.begin() + 302, 400);
  std::fill(values.begin() + 302, values.begin() + 602, 600);
  const std::string file = row_of(values).file();
  const Image full = decode(file, with_window(DicomWindow::kFull));
  EXPECT_EQ(full.deep_pixels[0], 0);
  EXPECT_EQ(full.deep_pixels[1], 65535);
  EXPECT_EQ(full.deep_pixels[2], 6554);  // 400 / 4000
  for (const DicomWindow window : {DicomWindow::kPercentile, DicomWindow::kFile}) {
    const Image image = decode(file, with_window(window));  // the file has no window
    EXPECT_EQ(image.deep_pixels[1], 65535);
    EXPECT_EQ(image.deep_pixels[2], 0);
    EXPECT_EQ(image.deep_pixels[302], 65535);
    EXPECT_EQ(image.deep_pixels[999], 32768);
  }
}

TEST(DicomImage, PaddingIsLeftOutOfRanges) {
  auto file = row_of({0, 1000, 1100, 1200});
  file.words(kPadding, {0});
  EXPECT_EQ(decode(file.file(), with_window(DicomWindow::kFull)).deep_pixels,
            (Words{0, 0, 32768, 65535}));
  file.words(0x00280121, {1000});  // everything from 0 to 1000
  EXPECT_EQ(decode(file.file(), with_window(DicomWindow::kFull)).deep_pixels,
            (Words{0, 0, 0, 65535}));
  EXPECT_EQ(decode(row_of({7, 7}).words(kPadding, {7}).file()).deep_pixels, (Words{0, 0}));
}

TEST(DicomImage, FlatImagesAreBlack) {
  EXPECT_EQ(decode(row_of({7, 7, 7}).file()).deep_pixels, (Words{0, 0, 0}));
}

TEST(DicomImage, MonochromeOneIsTurnedAround) {
  auto file = row_of({0, 1000, 4000});
  file.text(kPhotometric, "CS", "MONOCHROME1");
  EXPECT_EQ(decode(file.file(), with_window(DicomWindow::kFull)).deep_pixels,
            (Words{65535, 49151, 0}));
  auto bytes = bytes_of(std::string("\x00\x01\x80\xff", 4));
  bytes.text(kPhotometric, "CS", "MONOCHROME1");
  EXPECT_EQ(decode(bytes.file()).pixels, (Bytes{255, 254, 127, 0}));
}

TEST(DicomImage, SignedValues) {
  // -2048, -1, 0, 2047 in 12 bits; the bits above are to be ignored.
  auto file = row_of({0x0800, 0xffff, 0x0000, 0xf7ff});
  file.words(kSigned, {1});
  EXPECT_EQ(decode(file.file(), with_window(DicomWindow::kFull)).deep_pixels,
            (Words{0, 32759, 32776, 65535}));
  auto bytes = bytes_of(std::string("\x80\xff\x00\x7f", 4));
  bytes.words(kSigned, {1});
  EXPECT_EQ(decode(bytes.file(), with_window(DicomWindow::kFull)).pixels,
            (Bytes{0, 127, 128, 255}));
}

TEST(DicomImage, HighBitsAndNegativeSlopes) {
  // 12 bits that end at bit 15.
  auto file = row_of({0x000f, 0x8000, 0xfff0});
  file.words(kHighBit, {15});
  EXPECT_EQ(decode(file.file(), with_window(DicomWindow::kFull)).deep_pixels,
            (Words{0, 32776, 65535}));
  auto falling = row_of({0, 1000, 4000});
  falling.text(kSlope, "DS", "-0.25").text(kIntercept, "DS", "+1e3");
  EXPECT_EQ(decode(falling.file(), with_window(DicomWindow::kFull)).deep_pixels,
            (Words{65535, 49151, 0}));
  EXPECT_EQ(reason_of(row_of({1, 2}).text(kSlope, "DS", "0").file()), "its rescale slope is 0");
  EXPECT_EQ(reason_of(row_of({1, 2}).text(kSlope, "DS", "one").file()),
            "the element (0028,1053) is not a number that can be used: 'one'");
  EXPECT_EQ(reason_of(row_of({1, 2}).text(kSlope, "DS", "1e300").file()),
            "the element (0028,1053) is not a number that can be used: '1e300'");
}

TEST(DicomImage, BytesStayBytes) {
  const std::string values("\x00\x07\x80\xfe", 4);
  EXPECT_EQ(decode(bytes_of(values).file()).pixels, (Bytes{0, 7, 128, 254}));
  EXPECT_EQ(decode(bytes_of(values).file(), with_window(DicomWindow::kFull)).pixels,
            (Bytes{0, 7, 129, 255}));
  // Odd rows: the padding byte at the end is not a pixel.
  EXPECT_EQ(decode(bytes_of("\x01\x02\x03").file()).pixels, (Bytes{1, 2, 3}));
  // Bytes in big-endian words.
  auto swapped = DicomFileBuilder::gray(1, 4, 8, Encoding::kBigEndian);
  swapped.words(kPixels, {0x0201, 0x0403}, "OW");
  EXPECT_EQ(decode(swapped.file()).pixels, (Bytes{1, 2, 3, 4}));
}

TEST(DicomImage, ModalityTable) {
  for (const bool undefined : {false, true}) {
    for (const Encoding encoding : {Encoding::kImplicit, Encoding::kExplicit}) {
      DicomFileBuilder item(encoding);
      item.words(0x00283002, {3, 10, 16}).words(0x00283006, {0, 100, 400}, "OW");
      auto file = row_of({9, 10, 11, 12, 500}, encoding);
      file.sequence(0x00283000, {item}, undefined);
      EXPECT_EQ(decode(file.file(), with_window(DicomWindow::kFull)).deep_pixels,
                (Words{0, 0, 16384, 65535, 65535}));
    }
  }
  DicomFileBuilder item;
  item.words(0x00283002, {5, 0, 16}).words(0x00283006, {0, 100}, "OW");
  EXPECT_EQ(reason_of(row_of({1, 2}).sequence(0x00283000, {item}, true).file()),
            "the table (0028,3006) has fewer than 5 entries");
}

TEST(DicomImage, SeveralFrames) {
  auto file = DicomFileBuilder::gray(1, 2, 8);
  file.text(kFrames, "IS", "3").bytes(kPixels, "OB", std::string("\x01\x02\x03\x04\x05\x06", 6));
  EXPECT_EQ(reason_of(file.file()),
            "it has 3 frames, 0 to 2: name one by the option 'frame', over HTTP by ?frame=, in a "
            "manifest as 'scan.dcm/0'");
  EXPECT_EQ(decode(file.file(), with_frame(0)).pixels, (Bytes{1, 2}));
  EXPECT_EQ(decode(file.file(), with_frame(2)).pixels, (Bytes{5, 6}));
  EXPECT_EQ(reason_of(file.file(), with_frame(3)), "it has no frame 3, only 0 to 2");
  file.text(kFrames, "IS", "4");
  EXPECT_EQ(reason_of(file.file(), with_frame(3)),
            "it has 6 bytes of pixels where 4 x 2 are needed");
  file.text(kFrames, "IS", "-1");
  EXPECT_EQ(reason_of(file.file()), "its number of frames is '-1'");
}

TEST(DicomImage, FramesHaveWindowsOfTheirOwn) {
  const auto group = [](const std::string& slope, const std::string& centre) {
    DicomFileBuilder rescale;
    rescale.text(kSlope, "DS", slope).text(kIntercept, "DS", "0");
    DicomFileBuilder window;
    window.text(kCentre, "DS", centre).text(kWidth, "DS", "1");
    DicomFileBuilder all;
    if (!slope.empty()) all.sequence(0x00289145, {rescale}, true);
    if (!centre.empty()) all.sequence(0x00289132, {window}, false);
    return all;
  };
  auto file = DicomFileBuilder::gray(1, 2, 8);
  file.text(kFrames, "IS", "2").bytes(kPixels, "OB", std::string("\x0a\x14\x0a\x14", 4));
  file.sequence(0x52009229, {group("2", "")}, true);
  file.sequence(0x52009230, {group("", "30"), group("", "50")}, true);
  EXPECT_EQ(decode(file.file(), with_frame(0)).pixels, (Bytes{0, 255}));  // 20, 40 against 29.5
  EXPECT_EQ(decode(file.file(), with_frame(1)).pixels, (Bytes{0, 0}));    // against 49.5
}

TEST(DicomImage, Colours) {
  auto file = DicomFileBuilder::gray(1, 2, 8);
  file.text(kPhotometric, "CS", "RGB").words(0x00280002, {3}).words(0x00280006, {0});
  file.bytes(kPixels, "OB", std::string("\x01\x02\x03\x04\x05\x06", 6));
  EXPECT_EQ(decode(file.file()).pixels, (Bytes{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(decode(file.file()).channels, 3U);
  file.words(0x00280006, {1});  // by plane
  EXPECT_EQ(decode(file.file()).pixels, (Bytes{1, 3, 5, 2, 4, 6}));
  file.words(0x00280006, {0}).text(kPhotometric, "CS", "YBR_FULL");
  file.bytes(kPixels, "OB", std::string("\x4c\x55\xff\xff\x80\x80", 6));  // red, white
  EXPECT_EQ(decode(file.file()).pixels, (Bytes{254, 0, 0, 255, 255, 255}));
  EXPECT_EQ(reason_of(file.text(kPhotometric, "CS", "HSV").file()),
            "its photometric interpretation is 'HSV' where MONOCHROME1, MONOCHROME2, PALETTE "
            "COLOR, RGB, YBR_FULL, YBR_FULL_422, YBR_RCT and YBR_ICT are decoded");
  EXPECT_EQ(reason_of(file.text(kPhotometric, "CS", "MONOCHROME2").file()),
            "it has 3 values per pixel where MONOCHROME2 has 1");
  auto deep = row_of({0, 2048, 4095});
  deep.text(kPhotometric, "CS", "RGB").words(0x00280002, {3}).words(0x00280011, {1});
  EXPECT_EQ(decode(deep.file()).deep_pixels, (Words{0, 32776, 65535}));
}

TEST(DicomImage, Palettes) {
  auto file = bytes_of(std::string("\x00\x01\x02\x09", 4));
  file.text(kPhotometric, "CS", "PALETTE COLOR");
  for (std::uint16_t c = 0; c < 3; ++c) {
    file.words(0x00281101U + c, {3, 1, 16});
    const auto base = static_cast<std::uint16_t>(c << 8);
    file.words(0x00281201U + c,
               {static_cast<std::uint16_t>(0x1000 + base),
                static_cast<std::uint16_t>(0x2000 + base), 0xffff},
               "OW");
  }
  EXPECT_EQ(decode(file.file()).pixels, (Bytes{16, 17, 18, 16, 17, 18, 32, 33, 34, 255, 255, 255}));
  // Bytes packed in pairs.
  for (DicomTag c = 0; c < 3; ++c) {
    file.words(0x00281101U + c, {4, 0, 8}).words(0x00281201U + c, {0x0201, 0x0403}, "OW");
  }
  EXPECT_EQ(decode(file.file()).pixels, (Bytes{1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4}));
  EXPECT_EQ(reason_of(file.without(0x00281102).file()), "it has no palette (0028,1102)");
}

/// PackBits with runs and literals.
std::string packed(const std::string& plane) {
  std::string out;
  for (std::size_t i = 0; i < plane.size();) {
    std::size_t run = 1;
    while (i + run < plane.size() && plane[i + run] == plane[i] && run < 128) ++run;
    if (run > 1) {
      out += static_cast<char>(1 - static_cast<int>(run));
    } else {
      out += '\0';
    }
    out += plane[i];
    i += run;
  }
  if (out.size() % 2 != 0) out += '\0';
  return out;
}

std::string rle_frame(const std::vector<std::string>& planes) {
  const auto u32 = [](std::size_t value) {
    std::string bytes;
    for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(value >> shift & 0xff);
    return bytes;
  };
  std::string head = u32(planes.size());
  std::string body;
  for (const std::string& plane : planes) {
    head += u32(64 + body.size());
    body += packed(plane);
  }
  head.resize(64, '\0');
  return head + body;
}

TEST(DicomImage, RunLengths) {
  auto file = row_of({0x0101, 0x0102, 0x0102, 0x0a02});
  file.fragments(
      {"", rle_frame({std::string("\x01\x01\x01\x0a", 4), std::string("\x01\x02\x02\x02", 4)})});
  const Image image = decode(file.file(kRle), with_window(DicomWindow::kFull));
  EXPECT_EQ(image.deep_pixels, (Words{0, 28, 28, 65535}));

  auto rgb = DicomFileBuilder::gray(1, 2, 8);
  rgb.text(kPhotometric, "CS", "RGB").words(0x00280002, {3}).words(0x00280006, {1});
  rgb.fragments({"", rle_frame({"ab", "cd", "ee"})});
  EXPECT_EQ(decode(rgb.file(kRle)).pixels, (Bytes{'a', 'c', 'e', 'b', 'd', 'e'}));

  rgb.fragments({"", rle_frame({"ab", "cd"})});
  EXPECT_EQ(reason_of(rgb.file(kRle)),
            "its run-length coded pixels have 2 planes where 3 are needed");
  rgb.fragments({"", rle_frame({"ab", "cd", "e"})});
  EXPECT_EQ(reason_of(rgb.file(kRle)), "its run-length coded pixels are cut short");
  rgb.fragments({""});
  EXPECT_EQ(reason_of(rgb.file(kRle)), "it holds no pixel fragments");
}

TEST(DicomImage, RunLengthFramesAndTheirTable) {
  auto file = DicomFileBuilder::gray(1, 2, 8);
  file.text(kFrames, "IS", "2");
  const std::string first = rle_frame({"ab"});
  const std::string second = rle_frame({"cc"});
  file.fragments({"", first, second});
  EXPECT_EQ(decode(file.file(kRle), with_frame(1)).pixels, (Bytes{'c', 'c'}));
  // The second frame in two fragments, which the table tells.
  std::string table(8, '\0');
  table[4] = static_cast<char>(8 + first.size());
  file.fragments({table, first, second.substr(0, 64), second.substr(64)});
  EXPECT_EQ(decode(file.file(kRle), with_frame(0)).pixels, (Bytes{'a', 'b'}));
  EXPECT_EQ(decode(file.file(kRle), with_frame(1)).pixels, (Bytes{'c', 'c'}));
  file.fragments({"", first, second.substr(0, 64), second.substr(64)});
  EXPECT_EQ(reason_of(file.file(kRle), with_frame(1)),
            "it has 2 frames in 3 fragments and no table that says where each starts");
  table[4] = 6;
  file.fragments({table, first, second.substr(0, 64), second.substr(64)});
  EXPECT_EQ(reason_of(file.file(kRle), with_frame(1)), "the table of its frames is damaged");
}

/// A raw deflate stream of one block that is stored as it is.
std::string deflated(const std::string& bytes) {
  const auto size = static_cast<unsigned>(bytes.size());
  std::string stream = "\x01";
  for (const unsigned number : {size, ~size}) {
    stream += static_cast<char>(number & 0xff);
    stream += static_cast<char>(number >> 8 & 0xff);
  }
  return stream + bytes;
}

TEST(DicomImage, CompressedAsAWhole) {
  const DicomFileBuilder builder = bytes_of("ab");
  const std::string plain = builder.file("1.2.840.10008.1.2.1.99");
  const std::size_t start = plain.size() - builder.dataset().size();
  const std::string file = plain.substr(0, start) + deflated(builder.dataset());
  EXPECT_EQ(decode(file).pixels, decode(builder.file()).pixels);
  EXPECT_EQ(reason_of(file.substr(0, file.size() - 3)), "its compressed data ends too early");
}

TEST(DicomImage, PairsOfPixelsMayShareTheirColour) {
  auto file = DicomFileBuilder::gray(1, 4, 8);
  file.words(0x00280002, {3}).words(0x00280006, {0}).text(kPhotometric, "CS", "YBR_FULL_422");
  file.bytes(kPixels, "OB", std::string("\x10\x20\x80\x80\x30\x40\x80\xff", 8));
  const Image image = decode(file.file());
  ASSERT_EQ(image.channels, 3U);
  const std::vector<std::uint8_t> gray(image.pixels.begin(), image.pixels.begin() + 6);
  EXPECT_EQ(gray, (std::vector<std::uint8_t>{16, 16, 16, 32, 32, 32}));
  EXPECT_EQ(image.pixels[6], 226);  // 48 + 1.402 * 127
  file.bytes(kPixels, "OB", "abcd");
  EXPECT_TRUE(contains(reason_of(file.file()), "4 bytes of pixels where 1 x 8 are needed"));
}

TEST(DicomImage, Jpeg2000Streams) {
  const std::string folder = std::string(CUBCAL_TEST_DATA) + "/formats/";
  const std::string stream = file_bytes(folder + "rgb.j2k");
  auto file = DicomFileBuilder::gray(16, 24, 8);
  file.words(0x00280002, {3}).words(0x00280006, {0}).text(kPhotometric, "CS", "YBR_RCT");
  file.fragments({"", stream});
  const std::string lossless = "1.2.840.10008.1.2.4.90";
  try {
    const Image expected = read_image_file(folder + "rgb.j2k");
    EXPECT_EQ(decode(file.file(lossless)).pixels, expected.pixels);
  } catch (const DataError& error) {
    if (!contains(error.what(), "built without JPEG 2000")) throw;
    EXPECT_TRUE(contains(reason_of(file.file(lossless)), "was built without it"));
    return;
  }
  EXPECT_TRUE(contains(reason_of(file.words(0x00280010, {17}).file(lossless)),
                       "of another size than the file says"));
  file.words(0x00280010, {16}).fragments({"", stream.substr(0, 60)});
  EXPECT_TRUE(contains(reason_of(file.file(lossless)), "of its JPEG 2000 stream: "));
}

TEST(DicomImage, RefusesWhatItDoesNotDecode) {
  EXPECT_EQ(reason_of(bytes_of("ab").fragments({"", "x"}).file("1.2.840.10008.1.2.4.110")),
            "its transfer syntax is JPEG XL Lossless (1.2.840.10008.1.2.4.110) where "
            "uncompressed, deflated, RLE, JPEG, JPEG-LS and JPEG 2000 ones are decoded");
  EXPECT_EQ(reason_of(bytes_of("ab").file("1.2.3")),
            "its transfer syntax is '1.2.3' where uncompressed, deflated, RLE, JPEG, JPEG-LS and "
            "JPEG 2000 ones are decoded");
  EXPECT_TRUE(contains(reason_of(bytes_of("ab").file("1.2.840.10008.1.2.1.99")),
                       "its compressed data is damaged"));
  EXPECT_EQ(reason_of(bytes_of("ab").file(kRle)),
            "its pixels do not lie as its transfer syntax 1.2.840.10008.1.2.5 demands");
  EXPECT_EQ(reason_of(bytes_of("ab").without(kPixels).file()), "it holds no pixels (7FE0,0010)");
  EXPECT_EQ(reason_of(bytes_of("ab").without(0x00280010).file()),
            "it does not say how many rows it has (0028,0010)");
  EXPECT_EQ(reason_of(bytes_of("ab").words(0x00280100, {32}).file()),
            "it has 32 bits per value where 8 and 16 are decoded");
  EXPECT_EQ(reason_of(bytes_of("ab").words(kBitsStored, {9}).file()),
            "it has no room for 9 bits up to bit 7 in 8");
  EXPECT_EQ(reason_of(bytes_of("ab").words(kBitsStored, {0}).file()),
            "it has no room for 0 bits up to bit 7 in 8");
  EXPECT_EQ(reason_of(bytes_of("ab").words(0x00280010, {0}).file()), "it has 2 x 0 pixels");
}

TEST(DicomImage, RefusesPromisesOfTooManyPixels) {
  auto file = bytes_of("ab");
  file.words(0x00280010, {65535}).words(0x00280011, {65535});
  EXPECT_EQ(reason_of(file.file()), "it has more than 100 million pixels");
  file.words(0x00280010, {9000}).words(0x00280011, {9000});
  EXPECT_EQ(reason_of(file.file()), "it has 2 bytes of pixels where 1 x 81000000 are needed");
  file.fragments({"", rle_frame({"aaaa"})});
  EXPECT_EQ(reason_of(file.file(kRle)), "its run-length coded pixels are cut short");
  file.text(kFrames, "IS", "2147483647");
  EXPECT_EQ(reason_of(file.file(), with_frame(2147483646)),
            "its pixels do not lie as its transfer syntax 1.2.840.10008.1.2.1 demands");
}

TEST(DicomImage, RefusesFilesCutShortAnywhere) {
  DicomFileBuilder item;
  item.words(0x00283002, {3, 10, 16}).words(0x00283006, {0, 100, 400}, "OW");
  auto file = row_of({9, 10, 11, 12});
  file.sequence(0x00283000, {item}, true);
  auto rle = row_of({1, 1, 1, 1});
  rle.fragments({"", rle_frame({"aaaa", "abcd"})});
  for (const std::string& whole : {file.file(), rle.file(kRle)}) {
    EXPECT_EQ(decode(whole).width, 4U);
    for (std::size_t size = 132; size < whole.size(); ++size) {
      EXPECT_FALSE(reason_of(whole.substr(0, size)).empty()) << size;
    }
  }
  const std::string whole = file.file();
  EXPECT_EQ(reason_of(whole.substr(0, whole.size() - 1)),
            "it is cut short in the element (7FE0,0010)");
}

TEST(DicomImage, SurvivesDamage) {
  DicomFileBuilder item;
  item.words(0x00283002, {3, 10, 16}).words(0x00283006, {0, 100, 400}, "OW");
  auto file = row_of({9, 10, 11, 12});
  file.sequence(0x00283000, {item}, true).text(kCentre, "DS", "3").text(kWidth, "DS", "9");
  auto rle = row_of({1, 1, 1, 1});
  rle.fragments({"", rle_frame({"aaaa", "abcd"})});
  for (const std::string& whole : {file.file(), rle.file(kRle)}) {
    for (std::size_t place = 128; place < whole.size(); ++place) {
      for (const char change : {'\x01', '\x80', '\xff'}) {
        std::string damaged = whole;
        damaged[place] = static_cast<char>(damaged[place] ^ change);
        try {
          const Image image = decode(damaged);
          EXPECT_EQ(image.pixels.size() + image.deep_pixels.size(),
                    image.height * image.width * image.channels);
        } catch (const DataError&) {
          continue;  // refused: as good
        }
      }
    }
  }
}

TEST(DicomImage, RefusesDeepNesting) {
  DicomFileBuilder inner;
  inner.words(0x00080060, {1});
  for (int depth = 0; depth < 40; ++depth) {
    DicomFileBuilder outer;
    outer.sequence(0x00081140, {inner}, true);
    inner = outer;
  }
  auto file = bytes_of("ab");
  file.sequence(0x00081140, {inner}, true);
  EXPECT_EQ(reason_of(file.file()), "its sequences are nested too deep");
}

TEST(DicomImage, RecognisedByContent) {
  EXPECT_TRUE(is_dicom(bytes_of("ab").file()));
  EXPECT_FALSE(is_dicom("DICM"));
  EXPECT_FALSE(is_dicom(std::string(200, '\0')));
  EXPECT_FALSE(is_dicom(std::string("\x08\0\0\0", 4)));
  EXPECT_FALSE(is_dicom(std::string("\x08\0\x16\0 and more text", 18)));
  const TemporaryFolder folder;
  write_file_atomically(folder.file("image"), bytes_of("ab").file());
  EXPECT_EQ(read_image_file(folder.file("image")).pixels, (Bytes{'a', 'b'}));
}

TEST(DicomImage, PreambleMayBeMissing) {
  const TemporaryFolder folder;
  for (const Encoding encoding : {Encoding::kImplicit, Encoding::kExplicit}) {
    auto file = row_of({0, 100}, encoding);
    file.text(0x00100020, "LO", "P 7");
    write_file_atomically(folder.file("image"), file.dataset());
    EXPECT_EQ(read_image_file(folder.file("image")).deep_pixels, (Words{0, 65535}));
    EXPECT_EQ(read_dicom_facts(folder.file("image")).patient_id, "P 7");
  }
  // Without preamble, but with the elements that say how the others lie.
  auto file = row_of({0, 100}, Encoding::kImplicit);
  write_file_atomically(folder.file("image"), file.file().substr(132));
  EXPECT_EQ(read_image_file(folder.file("image")).deep_pixels, (Words{0, 65535}));
}

TEST(DicomImage, Facts) {
  const TemporaryFolder folder;
  auto file = bytes_of("ab");
  write_file_atomically(folder.file("a.dcm"), file.file());
  const DicomFacts none = read_dicom_facts(folder.file("a.dcm"));
  EXPECT_EQ(none.patient_id, "");
  EXPECT_EQ(none.frames, 1U);
  EXPECT_EQ(none.modality, "OT");
  file.text(0x00100020, "LO", "M\xfcller").text(0x0020000d, "UI", "1.2.3").text(kFrames, "IS", "9");
  // What follows the facts is not looked at.
  write_file_atomically(folder.file("a.dcm"), file.file().substr(0, file.file().size() - 1));
  const DicomFacts facts = read_dicom_facts(folder.file("a.dcm"));
  EXPECT_EQ(facts.patient_id, "M\xc3\xbcller");
  EXPECT_EQ(facts.study_uid, "1.2.3");
  EXPECT_EQ(facts.modality, "OT");
  EXPECT_EQ(facts.frames, 9U);
  EXPECT_EQ(facts.photometric, "MONOCHROME2");
  write_file_atomically(folder.file("b.dcm"), "no DICOM at all");
  expect_error<DataError>([&] { read_dicom_facts(folder.file("b.dcm")); },
                          "b.dcm' is not a DICOM file");
  write_file_atomically(folder.file("empty.dcm"), "");
  expect_error<DataError>([&] { read_dicom_facts(folder.file("empty.dcm")); },
                          "is not a DICOM file");
  expect_error<IoError>([&] { read_dicom_facts(folder.file("absent.dcm")); }, "absent.dcm");
}

TEST(DicomImage, RealBigEndianSlice) {
  const std::string path = std::string(CUBCAL_SHARED_DIR) + "/data/formats/anon_apct.dcm";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no " << path;
  const Image image = read_image_file(path);
  ASSERT_EQ(image.deep_pixels.size(), 512U * 512U);
  // An abdomen in the window 60/400: air around it is black, most of the body is neither black
  // nor white, and the middle of the picture lies in the body.
  const auto share = [&](auto is) {
    return static_cast<double>(
               std::count_if(image.deep_pixels.begin(), image.deep_pixels.end(), is)) /
           static_cast<double>(image.deep_pixels.size());
  };
  EXPECT_GT(share([](std::uint16_t v) { return v == 0; }), 0.2);
  EXPECT_LT(share([](std::uint16_t v) { return v == 65535; }), 0.1);
  EXPECT_GT(share([](std::uint16_t v) { return v > 0 && v < 65535; }), 0.2);
  const Image full = read_image_file(path, with_window(DicomWindow::kFull));
  EXPECT_EQ(*std::min_element(full.deep_pixels.begin(), full.deep_pixels.end()), 0);
  EXPECT_EQ(*std::max_element(full.deep_pixels.begin(), full.deep_pixels.end()), 65535);
  // Neighbours are alike, which they are not where bytes are swapped.
  double step = 0;
  for (std::size_t i = 1; i < full.deep_pixels.size(); ++i) {
    step += std::abs(full.deep_pixels[i] - full.deep_pixels[i - 1]);
  }
  EXPECT_LT(step / static_cast<double>(full.deep_pixels.size()), 0.03 * 65535);
  EXPECT_EQ(read_dicom_facts(path).modality, "CT");
  EXPECT_EQ(read_dicom_facts(path).frames, 1U);
  EXPECT_FALSE(read_dicom_facts(path).study_uid.empty());
}

}  // namespace
}  // namespace cubcal::test
