#include "cubcal_nn/dicomnet/dcmtk_text.h"

#include <dcmtk/config/osconfig.h>
#include <dcmtk/dcmdata/dcspchrs.h>
#include <iconv.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>

#include "cubcal/io/text_encoding.h"
#include "cubcal/io/utf8.h"

namespace cubcal {

namespace {

bool is_ascii(const std::string& text) {
  for (const char each : text) {
    if ((each & 0x80) != 0 || each == '\x1b') return false;  // escape: another set begins
  }
  return true;
}

/// Japanese text (PS3.5, annex H) with the conversions of the C library: ISO 2022 IR 87 and 159
/// are those of ISO-2022-JP-2, and bytes of IR 13 from 0xa1 on are half-width katakana beside it.
/// None where it is no such text, or the library has no such conversion.
std::optional<std::string> japanese_as_utf8(const std::string& text) {
  const auto close = [](void* opened) { ::iconv_close(opened); };
  ::iconv_t opened = ::iconv_open("UTF-8", "ISO-2022-JP-2");
  if (opened == reinterpret_cast<::iconv_t>(-1)) return std::nullopt;
  const std::unique_ptr<void, decltype(close)> converter(opened, close);
  constexpr std::string_view kKatakanaOnTheRight = "\x1b)I";
  constexpr unsigned kFirst = 0xa1;
  constexpr unsigned kLast = 0xdf;
  constexpr std::uint32_t kFirstKatakana = 0xff61;
  std::string made;
  std::size_t at = 0;
  while (at < text.size()) {
    const unsigned byte = static_cast<unsigned char>(text[at]);
    if (byte >= 0x80) {
      if (byte < kFirst || byte > kLast) return std::nullopt;
      append_utf8(made, kFirstKatakana + (byte - kFirst));
      ++at;
      continue;
    }
    if (text.compare(at, kKatakanaOnTheRight.size(), kKatakanaOnTheRight) == 0) {
      at += kKatakanaOnTheRight.size();
      continue;
    }
    std::size_t end = at + 1;
    while (end < text.size() && (text[end] & 0x80) == 0 &&
           text.compare(end, kKatakanaOnTheRight.size(), kKatakanaOnTheRight) != 0) {
      ++end;
    }
    std::string run = text.substr(at, end - at);
    std::string converted(4 * run.size() + 4, '\0');
    char* from = run.data();
    char* to = converted.data();
    std::size_t from_left = run.size();
    std::size_t to_left = converted.size();
    if (::iconv(opened, &from, &from_left, &to, &to_left) == static_cast<std::size_t>(-1)) {
      return std::nullopt;
    }
    made.append(converted, 0, converted.size() - to_left);
    at = end;
  }
  return made;
}

bool is_japanese(const std::string& character_set) {
  for (const char* name : {"IR 13", "IR 87", "IR 159"}) {
    const std::size_t at = character_set.find(name);
    const std::size_t end = at + std::strlen(name);
    if (at != std::string::npos &&
        (end == character_set.size() || character_set[end] == '\\' || character_set[end] == ' ')) {
      return true;
    }
  }
  return false;
}

std::string ascii_groups(const std::string& text) {
  std::string kept;
  std::size_t start = 0;
  while (start <= text.size()) {
    const std::size_t end = std::min(text.find('=', start), text.size());
    const std::string group = text.substr(start, end - start);
    kept += (start == 0 ? "" : "=") + (is_ascii(group) ? group : std::string());
    start = end + 1;
  }
  while (!kept.empty() && kept.back() == '=') kept.pop_back();
  return kept;
}

}  // namespace

std::string text_as_utf8(const std::string& text, const std::string& character_set,
                         bool& left_out) {
  if (is_ascii(text)) return text;
  if (is_japanese(character_set)) {
    if (const std::optional<std::string> japanese = japanese_as_utf8(text)) return *japanese;
  }
  DcmSpecificCharacterSet converter;
  OFString converted;
  if (converter.selectCharacterSet(character_set.c_str(), "ISO_IR 192").good() &&
      converter.convertString(text.c_str(), converted, "^=").good() && is_utf8(converted.c_str())) {
    return converted.c_str();
  }
  if (is_utf8(text) && text.find('\x1b') == std::string::npos) return text;
  if (character_set.empty()) return decode_text(text, TextEncoding::kLatin1, "it").text;
  left_out = true;
  return ascii_groups(text);
}

std::string short_text(const std::string& text, std::size_t most) {
  const std::string source = is_utf8(text) ? text : printable(text);
  std::string cut;
  std::size_t count = 0;
  for (const std::uint32_t point : code_points(source)) {
    if (count++ == most) break;
    const bool is_plain = point >= ' ' && point != 0x7f && point != '\\';
    append_utf8(cut, is_plain ? point : ' ');
  }
  return cut;
}

}  // namespace cubcal
