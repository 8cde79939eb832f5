#pragma once

#include <c10/core/Device.h>

#include <string>

namespace cubcal {

/// "cpu", or "cuda" for the first GPU. Throws ArgumentError for any other name and for a GPU that
/// this machine or LibTorch does not have.
c10::Device named_device(const std::string& name);

}  // namespace cubcal
