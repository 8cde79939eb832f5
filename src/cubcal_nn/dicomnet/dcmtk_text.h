#pragma once

#include <string>

namespace cubcal {

/// Text of a DICOM file as UTF-8. `character_set` is the file's SpecificCharacterSet. What it does
/// not explain is taken as UTF-8 where it is that, else as Latin 1.
std::string text_as_utf8(const std::string& text, const std::string& character_set);

/// UTF-8 cut to so many characters, control characters and backslashes, which part values, as
/// blanks.
std::string short_text(const std::string& text, std::size_t most);

}  // namespace cubcal
