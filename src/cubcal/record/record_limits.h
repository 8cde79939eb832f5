#pragma once

#include <cstddef>

namespace cubcal {

/// No file of a run's records is larger.
inline constexpr std::size_t kMostRecordBytes = std::size_t{1} << 26;

}  // namespace cubcal
