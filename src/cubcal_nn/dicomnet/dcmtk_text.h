#pragma once

#include <string>

namespace cubcal {

/// Text of a DICOM file as UTF-8. `character_set` is the file's SpecificCharacterSet. Where it says
/// none, text is taken as UTF-8 where it is that, else as Latin 1. Of text in a set that is not
/// known, the component groups ("=" between them) in ASCII are kept, and `left_out` becomes true.
std::string text_as_utf8(const std::string& text, const std::string& character_set, bool& left_out);

/// UTF-8 cut to so many characters, control characters and backslashes, which part values, as
/// blanks.
std::string short_text(const std::string& text, std::size_t most);

}  // namespace cubcal
