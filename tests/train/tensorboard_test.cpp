#include "cubcal_nn/train/tensorboard.h"

#include <gtest/gtest.h>

#include <cstring>

namespace cubcal {
namespace {

std::uint64_t little_endian(const std::string& bytes, std::size_t first, std::size_t count) {
  std::uint64_t value = 0;
  for (std::size_t i = count; i-- > 0;) {
    value = (value << 8) | static_cast<unsigned char>(bytes[first + i]);
  }
  return value;
}

TEST(TensorBoard, Crc32cOfTheStandardsExamples) {
  EXPECT_EQ(crc32c(""), 0U);
  EXPECT_EQ(crc32c("123456789"), 0xe3069283U);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8a9136aaU);  // RFC 3720, B.4
}

TEST(TensorBoard, ARecordIsLengthChecksumEventChecksum) {
  const std::string record = scalar_event(1.5, 300, {{"val/nll", 0.25}});
  const std::uint64_t length = little_endian(record, 0, 8);
  ASSERT_EQ(record.size(), 8 + 4 + length + 4);
  EXPECT_EQ(little_endian(record, 8, 4), masked_crc32c(record.substr(0, 8)));
  const std::string event = record.substr(12, length);
  EXPECT_EQ(little_endian(record, 12 + length, 4), masked_crc32c(event));

  // wall_time 1.5 (field 1, double), step 300 (field 2, varint), summary (field 5).
  const std::string expected = std::string("\x09\0\0\0\0\0\0\xf8\x3f", 9) +
                               std::string("\x10\xac\x02", 3) + "\x2a\x10" + "\x0a\x0e" +
                               "\x0a\x07val/nll" + std::string("\x15\0\0\x80\x3e", 5);
  EXPECT_EQ(event, expected);
}

TEST(TensorBoard, TheFileStartsWithItsVersion) {
  EXPECT_NE(event_file_start(0).find("brain.Event:2"), std::string::npos);
}

}  // namespace
}  // namespace cubcal
