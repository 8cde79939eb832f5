#pragma once

#include <string>

namespace cubcal {

/// Whether a name that came from the content of a file can become that of one file or folder: one
/// to 100 bytes, no slash or control character, and neither "." nor "..".
bool is_path_part(const std::string& name);

/// What is_path_part asks for, for error messages.
constexpr const char* kPathPartRule =
    "it becomes the name of a file, so it must be 1 to 100 bytes without '/' and control "
    "characters, and not '.' or '..'";

}  // namespace cubcal
