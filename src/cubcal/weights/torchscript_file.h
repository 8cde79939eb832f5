#pragma once

#include <string>

namespace cubcal {

/// Whether the file is a TorchScript archive by its table of contents: nothing in it is read.
bool is_torchscript(const std::string& path);

}  // namespace cubcal
