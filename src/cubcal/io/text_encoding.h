#pragma once

#include <string>
#include <string_view>

namespace cubcal {

/// How the characters of a text file lie in its bytes.
enum class TextEncoding {
  kAuto,  ///< by its byte order mark; without one UTF-8, or where it is not that, kLatin1
  kUtf8,
  kUtf16,    ///< by its byte order mark; without one little endian, as spreadsheets write it
  kUtf16Be,  ///< big endian
  kLatin1    ///< ISO 8859-1, with the further signs of Windows-1252 at 0x80 to 0x9F
};

/// "auto", "utf-8", "utf-16" ("utf-16le"), "utf-16be", "latin-1" ("iso-8859-1", "windows-1252",
/// "cp1252"), whatever their case; anything else throws ArgumentError.
TextEncoding parse_text_encoding(const std::string& name);
const char* text_encoding_name(TextEncoding encoding);

struct DecodedText {
  std::string text;       ///< UTF-8 without a byte order mark
  TextEncoding encoding;  ///< never kAuto
};

/// Throws DataError naming the file where the bytes are not of the encoding.
DecodedText decode_text(std::string_view bytes, TextEncoding encoding, const std::string& name);

}  // namespace cubcal
