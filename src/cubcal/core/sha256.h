#pragma once

#include <string>

namespace cubcal {

/// SHA-256 (FIPS 180-4) as 64 hexadecimal digits: where a content must not be replaced by another
/// that looks alike, which ContentHash does not promise.
std::string sha256(const std::string& bytes);

}  // namespace cubcal
