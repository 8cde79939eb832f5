#include "cubcal_nn/train/tensorboard.h"

#include <array>
#include <cstring>

namespace cubcal {

namespace {

std::array<std::uint32_t, 256> make_crc_table() {
  constexpr std::uint32_t kPolynomial = 0x82f63b78U;
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ ((value & 1U) != 0 ? kPolynomial : 0U);
    table[i] = value;
  }
  return table;
}

/// The lowest `bytes` bytes of a number, little endian on every machine.
std::string little_endian(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text.push_back(static_cast<char>((value >> (8 * i)) & 0xffU));
  return text;
}

std::string varint(std::uint64_t value) {
  std::string text;
  while (value >= 0x80) {
    text.push_back(static_cast<char>((value & 0x7fU) | 0x80U));
    value >>= 7;
  }
  text.push_back(static_cast<char>(value));
  return text;
}

// Protocol buffer fields: the key holds the field's number and how it is written.
std::string key(std::uint32_t field, std::uint32_t wire_type) {
  return varint((field << 3) | wire_type);
}

std::string bytes_field(std::uint32_t field, std::string_view bytes) {
  return key(field, 2) + varint(bytes.size()) + std::string(bytes);
}

std::string double_field(std::uint32_t field, double value) {
  std::uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return key(field, 1) + little_endian(bits, 8);
}

std::string float_field(std::uint32_t field, float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return key(field, 5) + little_endian(bits, 4);
}

std::string record(const std::string& event) {
  const std::string length = little_endian(event.size(), 8);
  return length + little_endian(masked_crc32c(length), 4) + event +
         little_endian(masked_crc32c(event), 4);
}

}  // namespace

std::uint32_t crc32c(std::string_view bytes) {
  static const std::array<std::uint32_t, 256> table = make_crc_table();
  std::uint32_t crc = 0xffffffffU;
  for (const char byte : bytes) {
    crc = (crc >> 8) ^ table[(crc ^ static_cast<unsigned char>(byte)) & 0xffU];
  }
  return crc ^ 0xffffffffU;
}

std::uint32_t masked_crc32c(std::string_view bytes) {
  const std::uint32_t crc = crc32c(bytes);
  return ((crc >> 15) | (crc << 17)) + 0xa282ead8U;
}

// Event: 1 wall_time, 2 step, 3 file_version, 5 summary. Summary: 1 value. Value: 1 tag,
// 2 simple_value.

std::string event_file_start(double wall_time) {
  return record(double_field(1, wall_time) + bytes_field(3, "brain.Event:2"));
}

std::string scalar_event(double wall_time, std::int64_t step,
                         const std::vector<std::pair<std::string, double>>& scalars) {
  std::string summary;
  for (const auto& [tag, value] : scalars) {
    summary += bytes_field(1, bytes_field(1, tag) + float_field(2, static_cast<float>(value)));
  }
  return record(double_field(1, wall_time) + key(2, 0) + varint(static_cast<std::uint64_t>(step)) +
                bytes_field(5, summary));
}

}  // namespace cubcal
