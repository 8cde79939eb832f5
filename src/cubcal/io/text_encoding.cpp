#include "cubcal/io/text_encoding.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "cubcal/core/error.h"
#include "cubcal/core/words.h"
#include "cubcal/io/utf8.h"

namespace cubcal {

namespace {

constexpr std::string_view kUtf8Mark = "\xEF\xBB\xBF";
constexpr std::string_view kLittleMark = "\xFF\xFE";
constexpr std::string_view kBigMark = "\xFE\xFF";

/// Windows-1252 from 0x80 to 0x9F; its five gaps stay what they are in ISO 8859-1.
constexpr std::array<std::uint16_t, 32> kWindowsSigns = {
    0x20AC, 0x0081, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0x008D, 0x017D, 0x008F, 0x0090, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x009D, 0x017E, 0x0178};

constexpr std::pair<const char*, TextEncoding> kEncodingNames[] = {
    {"auto", TextEncoding::kAuto},           {"utf-8", TextEncoding::kUtf8},
    {"utf8", TextEncoding::kUtf8},           {"utf-16", TextEncoding::kUtf16},
    {"utf16", TextEncoding::kUtf16},         {"utf-16le", TextEncoding::kUtf16},
    {"utf-16be", TextEncoding::kUtf16Be},    {"latin-1", TextEncoding::kLatin1},
    {"latin1", TextEncoding::kLatin1},       {"iso-8859-1", TextEncoding::kLatin1},
    {"windows-1252", TextEncoding::kLatin1}, {"cp1252", TextEncoding::kLatin1}};

bool take_mark(std::string_view& bytes, std::string_view mark) {
  if (bytes.substr(0, mark.size()) != mark) return false;
  bytes.remove_prefix(mark.size());
  return true;
}

std::string from_latin1(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size() + bytes.size() / 8);
  for (const char byte : bytes) {
    const auto code = static_cast<unsigned char>(byte);
    append_utf8(text, code >= 0x80 && code < 0xA0 ? kWindowsSigns[code - 0x80U] : code);
  }
  return text;
}

std::string from_utf16(std::string_view bytes, bool big_endian, const std::string& name) {
  if (bytes.size() % 2 != 0) throw DataError("'" + name + "' is not UTF-16: half a unit is left");
  const auto unit = [&](std::size_t place) -> std::uint32_t {
    const auto first = static_cast<unsigned char>(bytes[place]);
    const auto second = static_cast<unsigned char>(bytes[place + 1]);
    return big_endian ? first << 8U | second : second << 8U | first;
  };
  std::string text;
  text.reserve(bytes.size());
  for (std::size_t i = 0; i < bytes.size(); i += 2) {
    std::uint32_t code = unit(i);
    if (code >= 0xD800 && code < 0xDC00 && i + 4 <= bytes.size()) {
      const std::uint32_t low = unit(i + 2);
      if (low >= 0xDC00 && low < 0xE000) {
        code = 0x10000 + ((code - 0xD800) << 10U) + (low - 0xDC00);
        i += 2;
      }
    }
    if (code >= 0xD800 && code < 0xE000) {
      throw DataError("'" + name + "' is not UTF-16: half a pair stands alone");
    }
    append_utf8(text, code);
  }
  return text;
}

}  // namespace

TextEncoding parse_text_encoding(const std::string& name) {
  std::string wanted = lower_case(name);
  std::replace(wanted.begin(), wanted.end(), '_', '-');
  for (const auto& [known, encoding] : kEncodingNames) {
    if (wanted == known) return encoding;
  }
  throw ArgumentError("the encoding " + in_quotes(name) +
                      " is not known: auto, utf-8, utf-16, utf-16be and latin-1 are");
}

const char* text_encoding_name(TextEncoding encoding) {
  for (const auto& [name, known] : kEncodingNames) {
    if (encoding == known) return name;
  }
  return "";
}

DecodedText decode_text(std::string_view bytes, TextEncoding encoding, const std::string& name) {
  const bool any = encoding == TextEncoding::kAuto;
  if ((any || encoding == TextEncoding::kUtf8) && take_mark(bytes, kUtf8Mark)) {
    encoding = TextEncoding::kUtf8;
  } else if ((any || encoding == TextEncoding::kUtf16) && take_mark(bytes, kLittleMark)) {
    encoding = TextEncoding::kUtf16;
  } else if ((any || encoding == TextEncoding::kUtf16 || encoding == TextEncoding::kUtf16Be) &&
             take_mark(bytes, kBigMark)) {
    encoding = TextEncoding::kUtf16Be;
  } else if (any) {
    encoding = is_utf8(bytes) ? TextEncoding::kUtf8 : TextEncoding::kLatin1;
  }
  switch (encoding) {
    case TextEncoding::kLatin1: return {from_latin1(bytes), encoding};
    case TextEncoding::kUtf16:
    case TextEncoding::kUtf16Be:
      return {from_utf16(bytes, encoding == TextEncoding::kUtf16Be, name), encoding};
    default: return {std::string(bytes), TextEncoding::kUtf8};  // held against UTF-8 by its reader
  }
}

}  // namespace cubcal
