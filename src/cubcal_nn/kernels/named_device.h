#pragma once

#include <c10/core/Device.h>

#include <string>

namespace cubcal {

/// "cpu", "cuda" for the first GPU or "cuda:N" for one of them, from 0 on. Throws ArgumentError for
/// any other name and for a GPU that this machine or LibTorch does not have.
c10::Device named_device(const std::string& name);

}  // namespace cubcal
