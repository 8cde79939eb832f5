#include "cubcal/io/npz.h"

#include <algorithm>
#include <string_view>

#include "cubcal/core/error.h"
#include "cubcal/core/words.h"
#include "cubcal/io/utf8.h"

namespace cubcal {

namespace {

constexpr std::string_view suffix = ".npy";

std::string member_name(const std::string& name) { return name + std::string(suffix); }

/// "no arrays", or the names in quotes.
std::string listed(const std::vector<std::string>& names) {
  if (names.empty()) return "no arrays";
  constexpr std::size_t most = 20;
  std::string text;
  for (std::size_t i = 0; i < std::min(most, names.size()); ++i) {
    text += (i > 0 ? ", " : "") + in_quotes(names[i]);
  }
  return names.size() > most ? text + " and " + std::to_string(names.size() - most) + " more"
                             : text;
}

ArrayView<const std::byte> bytes_of(const void* bytes, std::size_t count) {
  return {static_cast<const std::byte*>(bytes), count};
}

}  // namespace

NpzReader::NpzReader(const std::string& path) : NpzReader(std::make_shared<FileSource>(path)) {}

NpzReader::NpzReader(std::shared_ptr<const ByteSource> source) : archive_(std::move(source)) {
  for (const ZipMember& member : archive_.members()) {
    if (!ends_with(member.name, suffix)) continue;
    names_.push_back(member.name.substr(0, member.name.size() - suffix.size()));
  }
}

bool NpzReader::has(const std::string& name) const {
  return archive_.find(member_name(name)) != nullptr;
}

NpyHeader NpzReader::peek(const std::string& name) const {
  return read_npy_header(*open(name), where(name));
}

NdArray NpzReader::read(const std::string& name) const {
  const std::unique_ptr<ByteStream> stream = open(name);
  const NpyHeader header = read_npy_header(*stream, where(name));
  return read_npy_numbers(*stream, header, where(name));
}

std::vector<std::string> NpzReader::read_text(const std::string& name) const {
  const std::unique_ptr<ByteStream> stream = open(name);
  const NpyHeader header = read_npy_header(*stream, where(name));
  return read_npy_text(*stream, header, where(name));
}

std::string NpzReader::where(const std::string& name) const {
  return "the array " + in_quotes(name) + " of '" + path() + "'";
}

std::unique_ptr<ByteStream> NpzReader::open(const std::string& name) const {
  const ZipMember* member = archive_.find(member_name(name));
  if (member == nullptr) {
    throw DataError("'" + path() + "' has no array " + in_quotes(name) + "; it holds " +
                    listed(names_));
  }
  return archive_.open(*member);
}

NpzWriter::NpzWriter(const std::string& path, ZipWriterOptions options) : zip_(path, options) {}

void NpzWriter::add(const std::string& name, const NdArray& array) {
  add_bytes(name, array.dtype(), array.shape(), array.bytes(), array.size());
}

void NpzWriter::add(const std::string& name, ArrayView<const double> values,
                    const std::vector<std::size_t>& shape) {
  add_bytes(name, DType::kF64, shape, values.data(), values.size());
}

void NpzWriter::add(const std::string& name, ArrayView<const float> values,
                    const std::vector<std::size_t>& shape) {
  add_bytes(name, DType::kF32, shape, values.data(), values.size());
}

void NpzWriter::add(const std::string& name, ArrayView<const std::int32_t> values,
                    const std::vector<std::size_t>& shape) {
  add_bytes(name, DType::kI32, shape, values.data(), values.size());
}

void NpzWriter::add(const std::string& name, ArrayView<const std::int64_t> values,
                    const std::vector<std::size_t>& shape) {
  add_bytes(name, DType::kI64, shape, values.data(), values.size());
}

void NpzWriter::add(const std::string& name, ArrayView<const std::uint8_t> values,
                    const std::vector<std::size_t>& shape) {
  add_bytes(name, DType::kU8, shape, values.data(), values.size());
}

void NpzWriter::add_text(const std::string& name, const std::vector<std::string>& texts) {
  const std::string file = npy_text(texts);
  zip_.add(member_name(name), {bytes_of(file.data(), file.size())});
}

void NpzWriter::finish() { zip_.finish(); }

void NpzWriter::add_bytes(const std::string& name, DType dtype,
                          const std::vector<std::size_t>& shape, const void* bytes,
                          std::size_t count) {
  std::size_t declared = 1;
  for (const std::size_t extent : shape) declared *= extent;
  if (declared != count) {
    throw ArgumentError("the shape given for the array " + in_quotes(name) + " has " +
                        std::to_string(declared) + " elements, but " + std::to_string(count) +
                        " values were given");
  }
  const std::string head = npy_head(dtype, shape);
  zip_.add(member_name(name),
           {bytes_of(head.data(), head.size()), bytes_of(bytes, count * dtype_size(dtype))});
}

}  // namespace cubcal
