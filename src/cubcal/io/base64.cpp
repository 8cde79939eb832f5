#include "cubcal/io/base64.h"

#include <array>

#include "cubcal/core/error.h"

namespace cubcal {

namespace {

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr unsigned char kNoDigit = 64;

constexpr std::array<unsigned char, 256> digit_values() {
  std::array<unsigned char, 256> values{};
  for (unsigned char& value : values) value = kNoDigit;
  for (std::size_t i = 0; i < kDigits.size(); ++i) {
    values[static_cast<unsigned char>(kDigits[i])] = static_cast<unsigned char>(i);
  }
  return values;
}

}  // namespace

std::string base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    unsigned three = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      three = three << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      const bool is_padding = i + k > bytes.size();
      text += is_padding ? '=' : kDigits[three >> (18 - 6 * k) & 63U];
    }
  }
  return text;
}

std::string base64_bytes(std::string_view text) {
  static constexpr std::array<unsigned char, 256> kValues = digit_values();
  for (int i = 0; i < 2 && !text.empty() && text.back() == '='; ++i) text.remove_suffix(1);
  if (text.size() % 4 == 1) throw DataError("a base64 text is cut short");
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3 + 2);
  unsigned held = 0;
  int bits = 0;
  for (const char digit : text) {
    const unsigned char value = kValues[static_cast<unsigned char>(digit)];
    if (value == kNoDigit)
      throw DataError("a base64 text has a character that is not a digit of it");
    held = (held << 6 | value) & 0xffffU;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes += static_cast<char>(held >> bits & 0xffU);
  }
  return bytes;
}

}  // namespace cubcal
