#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

#include "cubcal/core/array_view.h"
#include "cubcal/io/atomic_file.h"

namespace cubcal {

struct ZipWriterOptions {
  /// Write the zip64 form of every record even where the short one would do.
  bool force_zip64 = false;
};

/// Writes a zip archive of stored members, front to back. All timestamps are 1980-01-01, so that
/// equal input gives equal bytes; zip64 records appear only where a size needs them.
class ZipWriter {
 public:
  explicit ZipWriter(const std::string& path, ZipWriterOptions options = {});

  /// One member, given as consecutive pieces. Throws ArgumentError for a name used twice.
  void add(const std::string& name, const std::vector<ArrayView<const std::byte>>& pieces);
  /// Writes the directory and puts the file in place; without it nothing appears at the path.
  void finish();

 private:
  struct Entry {
    std::string name;
    std::uint32_t crc32;
    std::uint64_t size;
    std::uint64_t offset;
  };

  AtomicFile file_;
  ZipWriterOptions options_;
  std::vector<Entry> entries_;
  std::unordered_set<std::string> names_;
};

}  // namespace cubcal
