#pragma once

#include <string>

#include "cubcal/core/error.h"

namespace cubcal {

/// Why the system refused something, for a printed line: "cannot <action> <file>: <reason>" with
/// `file` in place of the path, which has a UID or the name of a patient in it.
std::string refusal_reason(const IoError& error, const std::string& file);

/// Whether it was refused since the file is not there.
bool is_missing_file(const IoError& error);

}  // namespace cubcal
