#pragma once

#include <string>

namespace cubcal {

/// Throws DataError, naming the file, for bytes that are not a whole TorchScript archive: no zip
/// archive, one whose members do not match their checksums, which LibTorch does not look at, or one
/// without code. Runs nothing.
void check_script_archive(const std::string& bytes, const std::string& file);

}  // namespace cubcal
