#pragma once

#include <exception>
#include <string>

namespace cubcal {

/// What LibTorch found wrong, in one line: without stack, source and traceback.
std::string script_problem(const std::exception& error);

}  // namespace cubcal
