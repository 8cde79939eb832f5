#include "cubcal/weights/safetensors.h"

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "cubcal/core/error.h"
#include "cubcal/io/atomic_file.h"
#include "cubcal/io/json_text.h"
#include "cubcal/io/tensor_cells.h"
#include "cubcal/io/utf8.h"
#include "cubcal/weights/tensor_shape.h"

namespace cubcal {

namespace {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
              "safetensors files are read and written as they lie in little-endian memory");

using nlohmann::json;

constexpr std::uint64_t kLengthBytes = 8;
constexpr std::uint64_t kLargestHeader = 100'000'000;
/// A header describes tensors by lists, and a network may have many.
constexpr JsonLimits kHeaderLimits{3, 100'000, 2'000'000};
constexpr const char* kMetadata = "__metadata__";
constexpr std::size_t kMappedFrom = std::size_t{1} << 20;

struct CellName {
  const char* name;
  CellType type;
};

constexpr CellName kCells[] = {{"F16", {DType::kF16, 2, false}},  {"BF16", {DType::kF32, 2, true}},
                               {"F32", {DType::kF32, 4, false}},  {"F64", {DType::kF64, 8, false}},
                               {"I8", {DType::kI8, 1, false}},    {"I16", {DType::kI16, 2, false}},
                               {"I32", {DType::kI32, 4, false}},  {"I64", {DType::kI64, 8, false}},
                               {"U8", {DType::kU8, 1, false}},    {"U16", {DType::kU16, 2, false}},
                               {"U32", {DType::kU32, 4, false}},  {"U64", {DType::kU64, 8, false}},
                               {"BOOL", {DType::kBool, 1, false}}};

const char* cell_name(DType dtype) {
  for (const CellName& cell : kCells) {
    if (cell.type.dtype == dtype && !cell.type.bfloat16) return cell.name;
  }
  return "";
}

struct Range {
  std::string name;
  CellType type;
  std::vector<std::size_t> shape;
  std::uint64_t begin, end;
};

json parse_header(const std::string& text, const std::string& file) {
  json header = parse_json<json>(text, "the header of " + file, kHeaderLimits);
  if (!header.is_object()) throw DataError("the header of " + file + " is not a JSON object");
  return header;
}

CellType parse_cell_type(const json& entry, const std::string& where) {
  if (!entry.is_string()) throw DataError("the dtype of " + where + " is not a string");
  const std::string& name = entry.get_ref<const std::string&>();
  std::string known;
  for (const CellName& cell : kCells) {
    if (name == cell.name) return cell.type;
    known += (known.empty() ? "" : ", ") + std::string(cell.name);
  }
  throw DataError("the dtype of " + where + " is " + in_quotes(name) + "; accepted are " + known);
}

Range parse_range(const std::string& name, const json& entry, std::uint64_t data_size,
                  const std::string& file) {
  const std::string where = "tensor " + in_quotes(name) + " of " + file;
  if (!entry.is_object() || entry.size() != 3 || !entry.contains("dtype") ||
      !entry.contains("shape") || !entry.contains("data_offsets")) {
    throw DataError(where + " must be described by dtype, shape and data_offsets alone");
  }
  Range range;
  range.name = name;
  range.type = parse_cell_type(entry["dtype"], where);
  range.shape = parse_shape(entry["shape"], where);
  const json& offsets = entry["data_offsets"];
  if (!offsets.is_array() || offsets.size() != 2 || !offsets[0].is_number_unsigned() ||
      !offsets[1].is_number_unsigned()) {
    throw DataError("the data_offsets of " + where + " are not two non-negative integers");
  }
  range.begin = offsets[0].get<std::uint64_t>();
  range.end = offsets[1].get<std::uint64_t>();
  if (range.begin > range.end || range.end > data_size) {
    throw DataError("the bytes " + std::to_string(range.begin) + " to " +
                    std::to_string(range.end) + " of " + where + " are not within the " +
                    std::to_string(data_size) + " bytes of data");
  }
  const auto expected = byte_count(range.shape, range.type.file_size);
  if (!expected || *expected != range.end - range.begin) {
    throw DataError(where + " has " + std::to_string(range.end - range.begin) +
                    " bytes but its shape and dtype ask for " +
                    (expected ? std::to_string(*expected) : "more than can be addressed"));
  }
  return range;
}

void check_cover(const std::vector<Range>& ranges, std::uint64_t data_size,
                 const std::string& file) {
  std::uint64_t covered = 0;
  for (const Range& range : ranges) {
    if (range.begin < covered) {
      throw DataError("tensor " + in_quotes(range.name) + " of " + file +
                      " overlaps another tensor");
    }
    if (range.begin > covered) {
      throw DataError("bytes " + std::to_string(covered) + " to " + std::to_string(range.begin) +
                      " of the data of " + file + " belong to no tensor");
    }
    covered = range.end;
  }
  if (covered != data_size) {
    throw DataError("the last " + std::to_string(data_size - covered) + " bytes of " + file +
                    " belong to no tensor");
  }
}

NdArray read_range(const ByteSource& source, std::uint64_t data_start, const Range& range,
                   const std::string& file) {
  const auto bytes = static_cast<std::size_t>(range.end - range.begin);
  const std::uint64_t start = data_start + range.begin;
  const bool as_stored = !range.type.bfloat16 && start % range.type.file_size == 0;
  if (as_stored && bytes >= kMappedFrom && range.type.dtype != DType::kBool) {
    if (auto memory = source.map(start, bytes)) {
      return NdArray(range.type.dtype, range.shape, std::move(memory));
    }
  }
  NdArray values(range.type.dtype, range.shape);
  if (bytes > 0) source.read_at(start, values.bytes(), bytes);
  if (range.type.bfloat16) widen_bfloat16(values);
  if (range.type.dtype == DType::kBool) check_bools(values, file, range.name);
  return values;
}

std::string json_string(const std::string& text) {
  try {
    return json(text).dump();
  } catch (const json::exception&) {
    throw ArgumentError("the text " + in_quotes(text) +
                        " cannot be written to a safetensors header: it is not UTF-8");
  }
}

std::string make_header(const std::vector<TensorView>& tensors,
                        const std::map<std::string, std::string>& metadata) {
  std::string header = "{";
  const auto next = [&] { header += header.size() > 1 ? "," : ""; };
  if (!metadata.empty()) {
    header += json_string(kMetadata) + ":{";
    bool first = true;
    for (const auto& [key, value] : metadata) {
      header += (first ? "" : ",") + json_string(key) + ":" + json_string(value);
      first = false;
    }
    header += "}";
  }
  std::uint64_t offset = 0;
  for (const TensorView& tensor : tensors) {
    const auto bytes = byte_count(tensor.shape, dtype_size(tensor.dtype));
    if (!bytes)
      throw ArgumentError("tensor " + in_quotes(tensor.name) + " is too large to address");
    next();
    header += json_string(tensor.name) + ":{\"dtype\":\"" + cell_name(tensor.dtype) +
              "\",\"shape\":" + json(tensor.shape).dump() + ",\"data_offsets\":[" +
              std::to_string(offset) + "," + std::to_string(offset + *bytes) + "]}";
    offset += *bytes;
  }
  header += "}";
  // The data, and with it every tensor, starts at a multiple of 8.
  header.append((8 - header.size() % 8) % 8, ' ');
  return header;
}

}  // namespace

TensorFile read_safetensors(const std::string& path) { return read_safetensors(FileSource(path)); }

TensorFile read_safetensors(const ByteSource& source) {
  const std::string file = "'" + source.name() + "'";
  if (source.size() < kLengthBytes) {
    throw DataError(file + " is too short for a safetensors file");
  }
  std::uint64_t header_size;
  source.read_at(0, &header_size, sizeof header_size);
  if (header_size > kLargestHeader || header_size > source.size() - kLengthBytes) {
    throw DataError("the header of " + file + " claims " + std::to_string(header_size) +
                    " bytes, more than the file holds or the format allows");
  }
  std::string text(static_cast<std::size_t>(header_size), '\0');
  source.read_at(kLengthBytes, text.data(), text.size());
  const json header = parse_header(text, file);

  const std::uint64_t data_start = kLengthBytes + header_size;
  const std::uint64_t data_size = source.size() - data_start;
  TensorFile result;
  std::vector<Range> ranges;
  for (const auto& [name, entry] : header.items()) {
    if (name != kMetadata) {
      ranges.push_back(parse_range(name, entry, data_size, file));
      continue;
    }
    if (!entry.is_object()) throw DataError("the metadata of " + file + " is not a JSON object");
    for (const auto& [key, value] : entry.items()) {
      if (!value.is_string()) {
        throw DataError("the metadata entry " + in_quotes(key) + " of " + file +
                        " is not a string");
      }
      result.metadata[key] = value.get<std::string>();
    }
  }
  std::stable_sort(ranges.begin(), ranges.end(), [](const Range& a, const Range& b) {
    return std::tie(a.begin, a.end) < std::tie(b.begin, b.end);
  });
  check_cover(ranges, data_size, file);
  for (const Range& range : ranges) {
    result.tensors.add(range.name, read_range(source, data_start, range, file));
  }
  return result;
}

void write_safetensors(const std::string& path, std::vector<TensorView> tensors,
                       const std::map<std::string, std::string>& metadata) {
  std::sort(tensors.begin(), tensors.end(), [](const TensorView& a, const TensorView& b) {
    const std::size_t size_a = dtype_size(a.dtype), size_b = dtype_size(b.dtype);
    return size_a != size_b ? size_a > size_b : a.name < b.name;
  });
  std::set<std::string> names = {kMetadata};
  for (const TensorView& tensor : tensors) {
    if (!names.insert(tensor.name).second) {
      throw ArgumentError("the tensor name " + in_quotes(tensor.name) +
                          " is reserved or used twice, so '" + path + "' was not written");
    }
  }
  const std::string header = make_header(tensors, metadata);
  const std::uint64_t header_size = header.size();
  AtomicFile file(path);
  file.write(&header_size, sizeof header_size);
  file.write(header);
  for (const TensorView& tensor : tensors) {
    const auto bytes = byte_count(tensor.shape, dtype_size(tensor.dtype));
    if (*bytes > 0) file.write(tensor.bytes, static_cast<std::size_t>(*bytes));
  }
  file.commit();
}

void write_safetensors(const std::string& path, const StateDict& tensors,
                       const std::map<std::string, std::string>& metadata) {
  std::vector<TensorView> views;
  for (const auto& [name, values] : tensors) {
    views.push_back({name, values.dtype(), values.shape(), values.bytes()});
  }
  write_safetensors(path, std::move(views), metadata);
}

}  // namespace cubcal
