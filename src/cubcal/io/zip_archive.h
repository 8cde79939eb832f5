#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "cubcal/io/byte_source.h"

namespace cubcal {

/// One entry of a zip archive's central directory.
struct ZipMember {
  std::string name;
  std::uint16_t method = 0;           ///< 0 stored, 8 deflated; any other is refused when opened
  std::uint16_t flags = 0;            ///< general purpose bits; encryption is refused when opened
  std::uint32_t crc32 = 0;            ///< of the uncompressed bytes
  std::uint64_t compressed_size = 0;  ///< bytes in the archive
  std::uint64_t size = 0;             ///< bytes after decompression
  std::uint64_t header_offset = 0;    ///< where the local header starts in the source

  bool is_stored() const { return method == 0; }
};

/// Reads zip archives: stored and deflated members, zip64, data descriptors, an archive comment,
/// and bytes before the archive (as Python's zipfile tolerates them). The central directory is
/// the only authority on names and sizes. Two members of the same name are refused: readers that
/// pick the first and readers that pick the last would see different data.
class ZipArchive {
 public:
  explicit ZipArchive(std::shared_ptr<const ByteSource> source);

  /// Whether the source starts or ends like a zip archive, readable or not.
  static bool is_likely(const ByteSource& source);

  const ByteSource& source() const { return *source_; }
  /// In the order of the central directory.
  const std::vector<ZipMember>& members() const { return members_; }
  /// Null where there is none.
  const ZipMember* find(const std::string& name) const;

  /// Where the member's (possibly compressed) bytes start in the source; the range
  /// [offset, offset + compressed_size) lies inside it. Throws DataError for an encrypted member,
  /// an unknown compression method, or a local header that disagrees.
  std::uint64_t data_offset(const ZipMember& member) const;
  /// The member's uncompressed bytes; finish() checks the CRC. Before anything is allocated from
  /// the declared sizes they are held against what the archive can contain: a stored member is as
  /// large as its range, and deflate expands at most 1032:1.
  std::unique_ptr<ByteStream> open(const ZipMember& member) const;
  /// The whole member, checked. Throws DataError where it is larger than max_bytes.
  std::string read(const ZipMember& member, std::size_t max_bytes) const;

 private:
  void read_directory();

  std::shared_ptr<const ByteSource> source_;
  std::vector<ZipMember> members_;
  std::unordered_map<std::string, std::size_t> index_;
  std::uint64_t directory_offset_ = 0;
};

}  // namespace cubcal
