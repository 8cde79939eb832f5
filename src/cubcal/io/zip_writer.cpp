#include "cubcal/io/zip_writer.h"

#include "cubcal/core/error.h"
#include "cubcal/io/crc32.h"
#include "cubcal/io/utf8.h"
#include "cubcal/io/zip_records.h"

namespace cubcal {

namespace {

using zip::FieldWriter;

constexpr std::uint16_t version_plain = 20;
constexpr std::uint16_t version_zip64 = 45;
constexpr std::uint16_t utf8_flag = 1U << 11;
constexpr std::uint16_t midnight = 0;
constexpr std::uint16_t first_of_january_1980 = (1 << 5) | 1;

}  // namespace

ZipWriter::ZipWriter(const std::string& path, ZipWriterOptions options)
    : file_(path), options_(options) {}

void ZipWriter::add(const std::string& name,
                    const std::vector<ArrayView<const std::byte>>& pieces) {
  if (name.empty() || name.size() > 0xFFFF || !is_utf8(name)) {
    throw ArgumentError("a zip member's name must be 1 to 65535 bytes of UTF-8, not " +
                        in_quotes(name));
  }
  if (!names_.insert(name).second) {
    throw ArgumentError("'" + file_.path() + "' already has a member named " + in_quotes(name));
  }
  Entry entry{name, 0, 0, file_.position()};
  for (const auto& piece : pieces) {
    entry.crc32 = crc32_of(piece, entry.crc32);
    entry.size += piece.size();
  }
  const bool is_zip64 = options_.force_zip64 || entry.size >= zip::in_zip64_32;
  FieldWriter extra;
  if (is_zip64) extra.u16(zip::zip64_extra_id).u16(16).u64(entry.size).u64(entry.size);
  const std::uint64_t short_size = is_zip64 ? zip::in_zip64_32 : entry.size;
  FieldWriter header;
  header.u32(zip::local_signature)
      .u16(is_zip64 ? version_zip64 : version_plain)
      .u16(utf8_flag)
      .u16(zip::stored)
      .u16(midnight)
      .u16(first_of_january_1980)
      .u32(entry.crc32)
      .u32(short_size)
      .u32(short_size)
      .u16(name.size())
      .u16(extra.bytes().size())
      .text(name)
      .text(extra.bytes());
  file_.write(header.bytes());
  for (const auto& piece : pieces) file_.write(piece.data(), piece.size());
  entries_.push_back(std::move(entry));
}

void ZipWriter::finish() {
  const std::uint64_t start = file_.position();
  for (const Entry& entry : entries_) {
    const bool long_size = options_.force_zip64 || entry.size >= zip::in_zip64_32;
    const bool long_offset = options_.force_zip64 || entry.offset >= zip::in_zip64_32;
    FieldWriter values;
    if (long_size) values.u64(entry.size).u64(entry.size);
    if (long_offset) values.u64(entry.offset);
    FieldWriter extra;
    if (long_size || long_offset) {
      extra.u16(zip::zip64_extra_id).u16(values.bytes().size()).text(values.bytes());
    }
    const std::uint16_t version = long_size || long_offset ? version_zip64 : version_plain;
    const std::uint64_t short_size = long_size ? zip::in_zip64_32 : entry.size;
    constexpr std::uint16_t unix_host = 3 << 8;
    constexpr std::uint32_t regular_file_0644 = 0100644U << 16;
    FieldWriter record;
    record.u32(zip::central_signature)
        .u16(unix_host | version)
        .u16(version)
        .u16(utf8_flag)
        .u16(zip::stored)
        .u16(midnight)
        .u16(first_of_january_1980)
        .u32(entry.crc32)
        .u32(short_size)
        .u32(short_size)
        .u16(entry.name.size())
        .u16(extra.bytes().size())
        .u16(0)  // comment
        .u16(0)  // disk
        .u16(0)  // internal attributes
        .u32(regular_file_0644)
        .u32(long_offset ? zip::in_zip64_32 : entry.offset)
        .text(entry.name)
        .text(extra.bytes());
    file_.write(record.bytes());
  }
  const std::uint64_t end = file_.position();
  const std::uint64_t size = end - start;
  const bool is_zip64 = options_.force_zip64 || entries_.size() >= zip::in_zip64_16 ||
                        start >= zip::in_zip64_32 || size >= zip::in_zip64_32;
  FieldWriter record;
  if (is_zip64) {
    record.u32(zip::end64_signature)
        .u64(zip::end64_size - 12)  // without the signature and this field
        .u16(version_zip64)
        .u16(version_zip64)
        .u32(0)
        .u32(0)
        .u64(entries_.size())
        .u64(entries_.size())
        .u64(size)
        .u64(start);
    record.u32(zip::locator64_signature).u32(0).u64(end).u32(1);
  }
  record.u32(zip::end_signature)
      .u16(0)
      .u16(0)
      .u16(is_zip64 ? zip::in_zip64_16 : entries_.size())
      .u16(is_zip64 ? zip::in_zip64_16 : entries_.size())
      .u32(is_zip64 ? zip::in_zip64_32 : size)
      .u32(is_zip64 ? zip::in_zip64_32 : start)
      .u16(0);
  file_.write(record.bytes());
  file_.commit();
}

}  // namespace cubcal
