#include "cubcal_nn/dicomnet/dcmtk_text.h"

#include <dcmtk/config/osconfig.h>
#include <dcmtk/dcmdata/dcspchrs.h>

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

}  // namespace

std::string text_as_utf8(const std::string& text, const std::string& character_set) {
  if (is_ascii(text)) return text;
  DcmSpecificCharacterSet converter;
  OFString converted;
  if (converter.selectCharacterSet(character_set.c_str(), "ISO_IR 192").good() &&
      converter.convertString(text.c_str(), converted, "^=").good() && is_utf8(converted.c_str())) {
    return converted.c_str();
  }
  return is_utf8(text) ? text : decode_text(text, TextEncoding::kLatin1, "it").text;
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
