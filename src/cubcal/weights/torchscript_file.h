#pragma once

#include <string>

namespace cubcal {

/// Whether the file is a TorchScript archive by its table of contents: nothing in it is read.
bool is_torchscript(const std::string& path);

/// Throws DataError, naming the file, for the bytes of one that is not a whole TorchScript archive:
/// no zip archive, one without code, or one whose members do not match their checksums, which
/// LibTorch does not look at. Runs nothing.
void check_torchscript(const std::string& bytes, const std::string& file);

}  // namespace cubcal
