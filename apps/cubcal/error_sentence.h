#pragma once

#include <exception>
#include <string>

namespace cubcal::app {

/// What the error says, as one sentence: the library's own as it is, those of the standard library
/// and of LibTorch in words for users.
std::string error_sentence(const std::exception& error);

}  // namespace cubcal::app
