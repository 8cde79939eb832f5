#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace cubcal {

struct RegularFile {
  int descriptor;  ///< to be closed
  std::uint64_t size;
};

/// Opens a file to be read. Throws IoError where that cannot be, and at once for a folder, a pipe
/// and whatever else is not a regular file: opening a pipe would wait for somebody who writes.
RegularFile open_regular_file(const std::string& path);

/// The first bytes of such a file, fewer where it is shorter.
std::string head_of_file(const std::string& path, std::size_t bytes);

}  // namespace cubcal
