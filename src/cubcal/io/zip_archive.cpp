#include "cubcal/io/zip_archive.h"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>
#include <optional>
#include <string_view>

#include "cubcal/core/checksums.h"
#include "cubcal/core/error.h"
#include "cubcal/io/crc32.h"
#include "cubcal/io/utf8.h"
#include "cubcal/io/zip_records.h"

namespace cubcal {

namespace {

using zip::FieldReader;

constexpr std::uint16_t encrypted_flag = 1U << 0;
constexpr std::uint16_t patch_flag = 1U << 5;
constexpr std::uint16_t strong_encryption_flag = 1U << 6;
constexpr std::uint16_t masked_flag = 1U << 13;

/// Deflate codes a run of 258 bytes in no less than 2 bits.
constexpr std::uint64_t deflate_limit = 1032;

/// A member that unpacks to more than this is held against its size in the archive: a few kilobytes
/// of zeros would otherwise take gigabytes.
constexpr std::uint64_t expanded_freely = std::uint64_t{16} << 20;
constexpr std::uint64_t expanded_times = 100;

[[noreturn]] void refuse(const ByteSource& source, const std::string& complaint) {
  throw DataError("'" + source.name() + "' is not a readable zip archive: " + complaint);
}

std::string read_bytes(const ByteSource& source, std::uint64_t offset, std::size_t count) {
  std::string bytes(count, '\0');
  source.read_at(offset, bytes.data(), count);
  return bytes;
}

/// What the end-of-archive records say about the central directory.
struct Directory {
  std::uint64_t offset;  ///< as declared, not counting bytes before the archive
  std::uint64_t size;
  std::uint64_t entries;
  std::uint64_t end;  ///< where the directory ends in the source
  bool is_zip64;
};

/// Where the end record starts: the last place from which a comment of the length it declares
/// reaches the end of the source exactly.
std::optional<std::uint64_t> find_end_record(const ByteSource& source) {
  if (source.size() < zip::end_size) return std::nullopt;
  const auto window = static_cast<std::size_t>(
      std::min<std::uint64_t>(source.size(), zip::end_size + std::size_t{0xFFFF}));
  const std::uint64_t start = source.size() - window;
  const std::string tail = read_bytes(source, start, window);
  for (std::size_t i = window - zip::end_size + 1; i-- > 0;) {
    FieldReader record(std::string_view(tail).substr(i, zip::end_size));
    if (record.u32() != zip::end_signature) continue;
    record.skip(16);
    const std::size_t comment = record.u16();
    if (i + zip::end_size + comment == window) return start + i;
  }
  return std::nullopt;
}

bool starts_like_zip(const ByteSource& source) {
  return source.size() >= 2 && read_bytes(source, 0, 2) == "PK";
}

/// Reads the zip64 end record that the locator in front of `end_offset` points to, if there is one.
bool read_end64(const ByteSource& source, std::uint64_t end_offset, Directory& directory) {
  if (end_offset < zip::locator64_size + zip::end64_size) return false;
  const std::uint64_t locator_offset = end_offset - zip::locator64_size;
  const std::string locator_bytes = read_bytes(source, locator_offset, zip::locator64_size);
  FieldReader locator(locator_bytes);
  if (locator.u32() != zip::locator64_signature) return false;
  locator.skip(4);
  const std::uint64_t declared = locator.u64();
  // Bytes before the archive shift the record away from its declared place; it then stands
  // directly before the locator.
  for (const std::uint64_t offset : {declared, locator_offset - zip::end64_size}) {
    if (offset > locator_offset - zip::end64_size) continue;
    const std::string bytes = read_bytes(source, offset, zip::end64_size);
    FieldReader record(bytes);
    if (record.u32() != zip::end64_signature) continue;
    record.skip(8 + 2 + 2);
    if (record.u32() != 0 || record.u32() != 0) refuse(source, "it spans several disks");
    record.skip(8);
    directory.entries = record.u64();
    directory.size = record.u64();
    directory.offset = record.u64();
    directory.end = offset;
    directory.is_zip64 = true;
    return true;
  }
  return false;
}

Directory find_directory(const ByteSource& source) {
  const std::optional<std::uint64_t> found = find_end_record(source);
  if (!found) {
    refuse(source, starts_like_zip(source)
                       ? "the directory at its end is missing, as in a file that was cut off"
                       : "it has neither the start nor the end of one");
  }
  const std::uint64_t end_offset = *found;
  const std::string bytes = read_bytes(source, end_offset, zip::end_size);
  FieldReader record(bytes);
  record.skip(4);
  const std::uint16_t disk = record.u16();
  const std::uint16_t first_disk = record.u16();
  record.skip(2);
  Directory directory{};
  directory.entries = record.u16();
  directory.size = record.u32();
  directory.offset = record.u32();
  directory.end = end_offset;
  if (read_end64(source, end_offset, directory)) return directory;
  if (disk != 0 || first_disk != 0) refuse(source, "it spans several disks");
  return directory;
}

/// Replaces sizes and offset that did not fit 32 bits by those of the zip64 extra field. The extra
/// field holds only the values that are marked so, in this order.
bool apply_zip64_extra(std::string_view extra, ZipMember& member) {
  const bool needs[] = {member.size == zip::in_zip64_32, member.compressed_size == zip::in_zip64_32,
                        member.header_offset == zip::in_zip64_32};
  if (!needs[0] && !needs[1] && !needs[2]) return true;
  FieldReader fields(extra);
  while (fields.left() >= 4) {
    const std::uint16_t id = fields.u16();
    const std::uint16_t length = fields.u16();
    FieldReader values(fields.text(length));
    if (!fields.ok()) return false;
    if (id != zip::zip64_extra_id) continue;
    if (needs[0]) member.size = values.u64();
    if (needs[1]) member.compressed_size = values.u64();
    if (needs[2]) member.header_offset = values.u64();
    return values.ok();
  }
  // Without the extra field the values mean what they say: exactly 4 GiB - 1.
  return true;
}

std::string method_name(std::uint16_t method) {
  switch (method) {
    case 9: return "Deflate64";
    case 12: return "bzip2";
    case 14: return "LZMA";
    case 93: return "Zstandard";
    case 95: return "XZ";
    default: return "number " + std::to_string(method);
  }
}

/// What both kinds of member stream share: which member they read and how its end is checked.
class MemberStream : public ByteStream {
 public:
  MemberStream(std::shared_ptr<const ByteSource> source, const ZipMember& member,
               std::uint64_t data_offset)
      : source_(std::move(source)),
        name_(member.name),
        expected_crc_(member.crc32),
        offset_(data_offset),
        remaining_(member.size) {}

  std::uint64_t remaining() const final { return remaining_; }

  void read(void* out, std::size_t count) final {
    if (count > remaining_) {
      complain("ends too early: " + std::to_string(count) + " bytes are expected where " +
               std::to_string(remaining_) + " are left");
    }
    produce(static_cast<std::byte*>(out), count);
    remaining_ -= count;
  }

  void finish() override {
    if (remaining_ > 0) complain("is longer than its contents need");
    if (checksums_count && crc_ != expected_crc_) {
      complain("is damaged: its checksum does not match");
    }
  }

 protected:
  /// Puts the next `count` bytes, all of them declared by the member, at `out`.
  virtual void produce(std::byte* out, std::size_t count) = 0;

  [[noreturn]] void complain(const std::string& complaint) const {
    throw DataError("the member " + in_quotes(name_) + " of '" + source_->name() + "' " +
                    complaint);
  }

  std::shared_ptr<const ByteSource> source_;
  std::string name_;
  std::uint32_t expected_crc_;
  std::uint32_t crc_ = 0;
  std::uint64_t offset_;
  std::uint64_t remaining_;
};

class StoredStream final : public MemberStream {
 public:
  using MemberStream::MemberStream;

  std::shared_ptr<std::byte> take(std::size_t count, std::size_t alignment) override {
    if (count > remaining() || offset_ % alignment != 0) return nullptr;
    std::shared_ptr<std::byte> memory = source_->map(offset_, count);
    if (memory) {
      crc_ = crc32_of({memory.get(), count}, crc_);
      offset_ += count;
      remaining_ -= count;
    }
    return memory;
  }

 private:
  void produce(std::byte* out, std::size_t count) override {
    crc_ = crc32_while_filling({out, count}, crc_, [&](std::size_t first, std::size_t last) {
      source_->read_at(offset_ + first, out + first, last - first);
    });
    offset_ += count;
  }
};

class DeflatedStream final : public MemberStream {
 public:
  DeflatedStream(std::shared_ptr<const ByteSource> source, const ZipMember& member,
                 std::uint64_t data_offset)
      : MemberStream(std::move(source), member, data_offset),
        compressed_left_(member.compressed_size) {
    constexpr std::size_t largest_input = std::size_t{1} << 18;
    input_.resize(
        static_cast<std::size_t>(std::min<std::uint64_t>(largest_input, compressed_left_)));
    constexpr int raw_deflate = -MAX_WBITS;
    if (::inflateInit2(&state_, raw_deflate) != Z_OK) throw std::bad_alloc();
  }
  ~DeflatedStream() override { ::inflateEnd(&state_); }

  void finish() override {
    // The end-of-block code may still be unread when the last byte has come out.
    std::byte surplus;
    if (remaining() == 0 && !at_end_ && inflate_some(&surplus, 1) > 0) {
      complain("is longer than declared");
    }
    MemberStream::finish();
  }

 private:
  void produce(std::byte* out, std::size_t count) override {
    constexpr std::size_t step = std::size_t{1} << 18;  // summed while still in the cache
    while (count > 0) {
      const std::size_t wanted = std::min(count, step);
      const std::size_t got = inflate_some(out, wanted);
      if (got < wanted) complain("is damaged: it holds fewer bytes than declared");
      crc_ = static_cast<std::uint32_t>(
          ::crc32(crc_, reinterpret_cast<const Bytef*>(out), static_cast<uInt>(got)));
      out += got;
      count -= got;
    }
  }

  /// Inflates up to `count` bytes; fewer only where the compressed data ends.
  std::size_t inflate_some(std::byte* out, std::size_t count) {
    state_.next_out = reinterpret_cast<Bytef*>(out);
    state_.avail_out = static_cast<uInt>(count);
    while (state_.avail_out > 0 && !at_end_) {
      if (state_.avail_in == 0 && compressed_left_ > 0) refill();
      const int result = ::inflate(&state_, Z_NO_FLUSH);
      if (result == Z_STREAM_END) {
        at_end_ = true;
      } else if (result == Z_MEM_ERROR) {
        throw std::bad_alloc();
      } else if (result == Z_BUF_ERROR) {
        complain("is damaged: its compressed data ends too early");
      } else if (result != Z_OK) {
        complain("is damaged: its compressed data cannot be decoded");
      }
    }
    return count - state_.avail_out;
  }

  void refill() {
    const auto count =
        static_cast<std::size_t>(std::min<std::uint64_t>(input_.size(), compressed_left_));
    source_->read_at(offset_, input_.data(), count);
    offset_ += count;
    compressed_left_ -= count;
    state_.next_in = reinterpret_cast<Bytef*>(input_.data());
    state_.avail_in = static_cast<uInt>(count);
  }

  z_stream state_{};
  std::string input_;
  std::uint64_t compressed_left_;
  bool at_end_ = false;
};

}  // namespace

ZipArchive::ZipArchive(std::shared_ptr<const ByteSource> source) : source_(std::move(source)) {
  read_directory();
}

bool ZipArchive::is_likely(const ByteSource& source) {
  return starts_like_zip(source) || find_end_record(source).has_value();
}

void ZipArchive::read_directory() {
  const Directory directory = find_directory(*source_);
  if (directory.size > directory.end) refuse(*source_, "its directory is larger than the file");
  directory_offset_ = directory.end - directory.size;
  if (directory.offset > directory_offset_) {
    refuse(*source_, "its directory is not where it is declared to be");
  }
  const std::uint64_t prefix = directory_offset_ - directory.offset;
  const std::string bytes =
      read_bytes(*source_, directory_offset_, static_cast<std::size_t>(directory.size));
  FieldReader fields(bytes);
  while (fields.left() > 0) {
    ZipMember member;
    const bool is_entry = fields.u32() == zip::central_signature;
    fields.skip(2 + 2);
    member.flags = fields.u16();
    member.method = fields.u16();
    fields.skip(2 + 2);
    member.crc32 = fields.u32();
    member.compressed_size = fields.u32();
    member.size = fields.u32();
    const std::uint16_t name_length = fields.u16();
    const std::uint16_t extra_length = fields.u16();
    const std::uint16_t comment_length = fields.u16();
    fields.skip(2 + 2 + 4);
    member.header_offset = fields.u32();
    member.name = std::string(fields.text(name_length));
    const std::string_view extra = fields.text(extra_length);
    fields.skip(comment_length);
    if (!is_entry || !fields.ok() || !apply_zip64_extra(extra, member)) {
      refuse(*source_,
             "entry " + std::to_string(members_.size() + 1) + " of its directory is damaged");
    }
    if (member.header_offset > directory_offset_ - prefix) {
      refuse(*source_, "the member " + in_quotes(member.name) + " starts beyond the end");
    }
    member.header_offset += prefix;
    if (!index_.emplace(member.name, members_.size()).second) {
      refuse(*source_, "it has two members named " + in_quotes(member.name));
    }
    members_.push_back(std::move(member));
  }
  // The short record counts modulo 65536.
  const std::uint64_t counted =
      directory.is_zip64 ? members_.size() : members_.size() & std::uint64_t{0xFFFF};
  if (counted != directory.entries) {
    refuse(*source_, "it declares " + std::to_string(directory.entries) + " members but lists " +
                         std::to_string(members_.size()));
  }
}

const ZipMember* ZipArchive::find(const std::string& name) const {
  const auto found = index_.find(name);
  return found == index_.end() ? nullptr : &members_[found->second];
}

std::uint64_t ZipArchive::data_offset(const ZipMember& member) const {
  const auto complain = [&](const std::string& complaint) {
    throw DataError("the member " + in_quotes(member.name) + " of '" + source_->name() + "' " +
                    complaint);
  };
  if ((member.flags & (encrypted_flag | strong_encryption_flag | masked_flag)) != 0) {
    complain("is encrypted, which is not supported");
  }
  if ((member.flags & patch_flag) != 0) complain("is a patch, which is not supported");
  if (member.method != zip::stored && member.method != zip::deflated) {
    complain("is compressed with method " + method_name(member.method) +
             ", but only stored and deflated members are supported");
  }
  const std::uint64_t room = directory_offset_ - member.header_offset;
  if (room < zip::local_size) complain("has no local header");
  const std::string header = read_bytes(*source_, member.header_offset, zip::local_size);
  FieldReader fields(header);
  const bool is_header = fields.u32() == zip::local_signature;
  fields.skip(22);
  const std::uint16_t name_length = fields.u16();
  const std::uint16_t extra_length = fields.u16();
  const std::uint64_t header_size = zip::local_size + name_length + std::uint64_t{extra_length};
  if (!is_header || header_size > room) complain("has a damaged local header");
  if (read_bytes(*source_, member.header_offset + zip::local_size, name_length) != member.name) {
    complain("has another name in its local header");
  }
  if (member.compressed_size > room - header_size) {
    complain("declares " + std::to_string(member.compressed_size) + " bytes where " +
             std::to_string(room - header_size) + " are left");
  }
  return member.header_offset + header_size;
}

std::unique_ptr<ByteStream> ZipArchive::open(const ZipMember& member) const {
  const std::uint64_t offset = data_offset(member);
  const std::uint64_t limit =
      member.is_stored() ? member.compressed_size
      : member.compressed_size > std::numeric_limits<std::uint64_t>::max() / deflate_limit
          ? std::numeric_limits<std::uint64_t>::max()
          : member.compressed_size * deflate_limit;
  if (member.size > limit || (member.is_stored() && member.size < limit)) {
    throw DataError("the member " + in_quotes(member.name) + " of '" + source_->name() +
                    "' declares " + std::to_string(member.size) + " bytes, which its " +
                    std::to_string(member.compressed_size) + " bytes in the archive cannot hold");
  }
  if (member.size > std::max(expanded_freely, member.compressed_size * expanded_times)) {
    throw DataError("the member " + in_quotes(member.name) + " of '" + source_->name() +
                    "' declares " + std::to_string(member.size) + " bytes, more than " +
                    std::to_string(expanded_times) + " times the " +
                    std::to_string(member.compressed_size) +
                    " bytes in the archive, which no measured data does");
  }
  if (member.is_stored()) return std::make_unique<StoredStream>(source_, member, offset);
  return std::make_unique<DeflatedStream>(source_, member, offset);
}

std::string ZipArchive::read(const ZipMember& member, std::size_t max_bytes) const {
  const std::unique_ptr<ByteStream> stream = open(member);
  if (member.size > max_bytes) {
    throw DataError("the member " + in_quotes(member.name) + " of '" + source_->name() +
                    "' holds " + std::to_string(member.size) + " bytes, more than the " +
                    std::to_string(max_bytes) + " accepted here");
  }
  std::string bytes(static_cast<std::size_t>(member.size), '\0');
  stream->read(bytes.data(), bytes.size());
  stream->finish();
  return bytes;
}

}  // namespace cubcal
