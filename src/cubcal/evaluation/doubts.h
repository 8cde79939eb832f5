#pragma once

#include <string>
#include <vector>

#include "cubcal/io/logits_file.h"

namespace cubcal {

/// What makes it doubtful that a file holds what its reader takes it for, a sentence each: several
/// passes that are all the same, and labels of so few of its many classes that the axes may be
/// others.
std::vector<std::string> doubts_about(const LogitsFile& file);

}  // namespace cubcal
