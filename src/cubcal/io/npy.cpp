#include "cubcal/io/npy.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>

#include "cubcal/core/error.h"
#include "cubcal/core/parallel.h"
#include "cubcal/io/atomic_file.h"
#include "cubcal/io/npy_dict.h"
#include "cubcal/io/utf8.h"

namespace cubcal {

namespace {

constexpr char kMagic[] = "\x93NUMPY";
constexpr std::size_t kMagicSize = sizeof kMagic - 1;
constexpr bool machine_is_little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
static_assert(machine_is_little || __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__,
              "NumPy knows only little and big endian");

constexpr DType all_dtypes[] = {DType::kF16, DType::kF32, DType::kF64, DType::kI8,
                                DType::kI16, DType::kI32, DType::kI64, DType::kU8,
                                DType::kU16, DType::kU32, DType::kU64, DType::kBool};

/// The letter NumPy's type strings use for the kind of number.
char kind_letter(DType dtype) {
  switch (dtype) {
    case DType::kF16:
    case DType::kF32:
    case DType::kF64: return 'f';
    case DType::kI8:
    case DType::kI16:
    case DType::kI32:
    case DType::kI64: return 'i';
    case DType::kU8:
    case DType::kU16:
    case DType::kU32:
    case DType::kU64: return 'u';
    case DType::kBool: return 'b';
  }
  return '\0';
}

/// The digits of a type string as a number, or 0 where they are not one to nine digits.
std::size_t parse_width(const std::string& digits) {
  if (digits.empty() || digits.size() > 9) return 0;
  std::size_t width = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9') return 0;
    width = width * 10 + static_cast<std::size_t>(c - '0');
  }
  return width;
}

/// Reads a type string such as "<f4", ">i8", "|b1" or "<U12" into the header.
void parse_type(const std::string& descr, const std::string& where, NpyHeader& header) {
  std::string type = descr;
  const char order = type.empty() ? '\0' : type[0];
  const bool has_order = order == '<' || order == '>' || order == '|' || order == '=';
  if (has_order) type.erase(0, 1);
  if (type == "?") type = "b1";
  const char letter = type.empty() ? '\0' : type[0];
  const std::size_t width = type.empty() ? 0 : parse_width(type.substr(1));
  if (letter == 'O') {
    throw DataError(where +
                    " holds pickled Python objects, which are refused because reading them would "
                    "run code; save text as fixed-width strings, for example with "
                    "np.array(names, dtype=str)");
  }
  header.is_swapped = order == (machine_is_little ? '>' : '<');
  if (width > 0 && letter == 'U' && order != '|') {
    header.kind = NpyHeader::Kind::kUnicode;
    header.item_size = 4 * width;
    return;
  }
  if (width > 0 && letter == 'S') {
    header.kind = NpyHeader::Kind::kBytes;
    header.item_size = width;
    return;
  }
  for (const DType dtype : all_dtypes) {
    if (letter != kind_letter(dtype) || width != dtype_size(dtype)) continue;
    if (width > 1 && order == '|') continue;
    header.kind = NpyHeader::Kind::kNumbers;
    header.dtype = dtype;
    header.item_size = width;
    return;
  }
  throw DataError(where + " has the type " + in_quotes(descr) +
                  ", but only float16/32/64, integers of 8 to 64 bits, bool and fixed-width text "
                  "are accepted");
}

/// The bytes that the shape asks for, or an error where that cannot be addressed. Counts like
/// NdArray, which therefore accepts every shape that passes here.
std::uint64_t checked_bytes(const NpyHeader& header, const std::string& where) {
  const std::size_t limit =
      static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max()) / header.item_size;
  std::size_t count = 1;
  for (const std::size_t extent : header.shape) {
    if (extent != 0 && count > limit / extent) {
      throw DataError(where + " declares the shape " + header.shape_text() +
                      ", which is too large to address");
    }
    count *= extent;
  }
  return std::uint64_t{count} * header.item_size;
}

bool has_one_long_axis(const std::vector<std::size_t>& shape) {
  return std::count_if(shape.begin(), shape.end(), [](std::size_t n) { return n > 1; }) <= 1;
}

template <class Word>
Word reversed(Word word) {
  if constexpr (sizeof word == 2) {
    return __builtin_bswap16(word);
  } else if constexpr (sizeof word == 4) {
    return __builtin_bswap32(word);
  } else {
    return __builtin_bswap64(word);
  }
}

template <class Word>
void swap_words(std::byte* bytes, std::size_t count) {
  constexpr std::size_t block = std::size_t{1} << 16;
  parallel_blocks(count, block, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      Word word;
      std::memcpy(&word, bytes + i * sizeof word, sizeof word);
      word = reversed(word);
      std::memcpy(bytes + i * sizeof word, &word, sizeof word);
    }
  });
}

void swap_bytes(NdArray& array) {
  switch (dtype_size(array.dtype())) {
    case 2: return swap_words<std::uint16_t>(array.bytes(), array.size());
    case 4: return swap_words<std::uint32_t>(array.bytes(), array.size());
    case 8: return swap_words<std::uint64_t>(array.bytes(), array.size());
    default: return;
  }
}

/// Copies elements whose first axis varies fastest into an array of at least two axes whose last
/// one does. Works on a few indices of the first axis at a time, so that the cache lines read are
/// used whole.
template <class Word>
void fortran_to_c(const std::byte* from, NdArray& to) {
  const std::vector<std::size_t>& shape = to.shape();
  const std::size_t rows = shape.front();
  const std::size_t columns = shape.back();
  const std::size_t row_size = to.size() / rows;
  const std::size_t column_stride = to.size() / columns;
  constexpr std::size_t block = 64 / sizeof(Word);
  parallel_blocks(rows, block, [&](std::size_t first, std::size_t last) {
    // The position in the axes between the first and the last, and the source offset it means.
    std::vector<std::size_t> middle(shape.size() - 2, 0);
    std::size_t source = 0;
    for (std::size_t target = 0; target < row_size; target += columns) {
      for (std::size_t row = first; row < last; ++row) {
        const std::byte* in = from + (source + row) * sizeof(Word);
        std::byte* out = to.bytes() + (row * row_size + target) * sizeof(Word);
        for (std::size_t column = 0; column < columns; ++column) {
          std::memcpy(out + column * sizeof(Word), in + column * column_stride * sizeof(Word),
                      sizeof(Word));
        }
      }
      std::size_t outer_stride = column_stride;
      for (std::size_t axis = middle.size(); axis-- > 0;) {
        const std::size_t stride = outer_stride / shape[axis + 1];
        outer_stride = stride;
        source += stride;
        if (++middle[axis] < shape[axis + 1]) break;
        source -= stride * shape[axis + 1];
        middle[axis] = 0;
      }
    }
  });
}

NdArray read_fortran(ByteStream& stream, const NpyHeader& header) {
  NdArray raw(header.dtype, {header.count()});
  stream.read(raw.bytes(), raw.byte_size());
  NdArray array(header.dtype, header.shape);
  switch (header.item_size) {
    case 1: fortran_to_c<std::uint8_t>(raw.bytes(), array); break;
    case 2: fortran_to_c<std::uint16_t>(raw.bytes(), array); break;
    case 4: fortran_to_c<std::uint32_t>(raw.bytes(), array); break;
    default: fortran_to_c<std::uint64_t>(raw.bytes(), array); break;
  }
  return array;
}

std::string decode_unicode(const std::byte* item, const NpyHeader& header) {
  const std::size_t width = header.item_size / sizeof(std::uint32_t);
  std::vector<std::uint32_t> points(width);
  std::memcpy(points.data(), item, header.item_size);
  while (!points.empty() && points.back() == 0) points.pop_back();
  std::string text;
  for (const std::uint32_t point : points) {
    append_utf8(text, header.is_swapped ? reversed(point) : point);
  }
  return text;
}

std::string decode_bytes(const std::byte* item, const NpyHeader& header) {
  std::string text(reinterpret_cast<const char*>(item), header.item_size);
  text.erase(text.find_last_not_of('\0') + 1);
  if (!is_utf8(text)) throw DataError("the text " + in_quotes(text) + " is not UTF-8");
  return text;
}

/// Magic, version 1.0, the dict, and spaces up to a multiple of 64 bytes.
std::string head_of(const std::string& descr, const std::vector<std::size_t>& shape) {
  std::string dict = "{'descr': '" + descr +
                     "', 'fortran_order': False, 'shape': " + cubcal::shape_text(shape) + ", }";
  const std::size_t before = kMagicSize + 2 + 2;
  dict.append(63 - (before + dict.size()) % 64, ' ');
  dict += '\n';
  std::string head(kMagic, kMagicSize);
  head +=
      {'\x01', '\x00', static_cast<char>(dict.size() & 0xFF), static_cast<char>(dict.size() >> 8)};
  return head + dict;
}

/// Elements that lie in the file in the order they are wanted in. Copying a large array costs more
/// than anything else done while reading it, so it is mapped where its place in the file allows.
NdArray read_in_order(ByteStream& stream, const NpyHeader& header) {
  constexpr std::uint64_t worth_mapping = std::uint64_t{16} << 20;
  const std::uint64_t bytes = header.count() * header.item_size;
  if (bytes >= worth_mapping) {
    if (auto memory = stream.take(static_cast<std::size_t>(bytes), header.item_size)) {
      return {header.dtype, header.shape, std::move(memory)};
    }
  }
  NdArray array(header.dtype, header.shape);
  stream.read(array.bytes(), array.byte_size());
  return array;
}

}  // namespace

std::size_t NpyHeader::count() const {
  std::size_t count = 1;
  for (const std::size_t extent : shape) count *= extent;
  return count;
}

std::string NpyHeader::type_text() const { return is_text() ? "text" : dtype_name(dtype); }

std::string NpyHeader::shape_text() const { return cubcal::shape_text(shape); }

bool is_npy(const ByteSource& source) {
  char front[kMagicSize];
  if (source.size() < kMagicSize) return false;
  source.read_at(0, front, kMagicSize);
  return std::memcmp(front, kMagic, kMagicSize) == 0;
}

NpyHeader read_npy_header(ByteStream& stream, const std::string& where) {
  unsigned char front[kMagicSize + 2 + 4];
  const auto take = [&](std::size_t offset, std::size_t count) {
    if (stream.remaining() < count) throw DataError(where + " ends before its head does");
    stream.read(front + offset, count);
  };
  take(0, kMagicSize + 2);
  if (std::memcmp(front, kMagic, kMagicSize) != 0) {
    throw DataError(where + " is not in the npy format");
  }
  const unsigned major = front[kMagicSize];
  const unsigned minor = front[kMagicSize + 1];
  if (major < 1 || major > 3 || minor != 0) {
    throw DataError(where + " has npy version " + std::to_string(major) + "." +
                    std::to_string(minor) + ", but only 1.0, 2.0 and 3.0 are accepted");
  }
  const std::size_t width = major == 1 ? 2 : 4;
  take(kMagicSize + 2, width);
  std::size_t length = 0;
  for (std::size_t i = width; i-- > 0;) length = (length << 8) | front[kMagicSize + 2 + i];
  constexpr std::size_t longest = std::size_t{1} << 16;
  if (length > longest || length > stream.remaining()) {
    throw DataError(where + " has a damaged head: its length is given as " +
                    std::to_string(length) + " bytes");
  }
  std::string text(length, '\0');
  stream.read(text.data(), length);
  const NpyDict dict = parse_npy_dict(text, where);
  NpyHeader header;
  header.fortran_order = dict.fortran_order;
  header.shape = dict.shape;
  parse_type(dict.descr, where, header);
  const std::uint64_t bytes = checked_bytes(header, where);
  if (bytes != stream.remaining()) {
    throw DataError(where + " declares the shape " + header.shape_text() + ", which needs " +
                    std::to_string(bytes) + " bytes, but " + std::to_string(stream.remaining()) +
                    " bytes follow");
  }
  return header;
}

NdArray read_npy_numbers(ByteStream& stream, const NpyHeader& header, const std::string& where) {
  if (header.is_text()) throw DataError(where + " holds text where numbers are expected");
  NdArray array;
  if (header.fortran_order && !has_one_long_axis(header.shape) && header.count() > 0) {
    array = read_fortran(stream, header);
  } else {
    array = read_in_order(stream, header);
  }
  stream.finish();
  if (header.is_swapped) swap_bytes(array);
  if (header.dtype == DType::kBool) {
    // A bool with a value other than 0 and 1 may not be looked at in C++.
    auto* values = array.as<std::uint8_t>();
    std::transform(values, values + array.size(), values,
                   [](std::uint8_t value) { return static_cast<std::uint8_t>(value != 0); });
  }
  return array;
}

std::vector<std::string> read_npy_text(ByteStream& stream, const NpyHeader& header,
                                       const std::string& where) {
  if (!header.is_text()) {
    throw DataError(where + " holds " + header.type_text() +
                    " where text is expected; save it as fixed-width strings, for example with "
                    "np.array(names, dtype=str)");
  }
  if (!has_one_long_axis(header.shape)) {
    throw DataError(where + " has shape " + header.shape_text() +
                    ", but text must be one-dimensional");
  }
  constexpr std::size_t buffer_size = std::size_t{1} << 16;
  const std::size_t count = header.count();
  const std::size_t items =
      std::min(count, std::max<std::size_t>(1, buffer_size / header.item_size));
  const std::unique_ptr<std::byte[]> buffer(new std::byte[items * header.item_size]);
  std::vector<std::string> texts;
  while (texts.size() < count) {
    const std::size_t batch = std::min(items, count - texts.size());
    stream.read(buffer.get(), batch * header.item_size);
    for (std::size_t i = 0; i < batch; ++i) {
      const std::byte* item = buffer.get() + i * header.item_size;
      try {
        texts.push_back(header.kind == NpyHeader::Kind::kUnicode ? decode_unicode(item, header)
                                                                 : decode_bytes(item, header));
      } catch (const DataError& error) {
        throw DataError(where + " has an unreadable element at index " +
                        std::to_string(texts.size()) + ": " + error.what());
      }
    }
  }
  stream.finish();
  return texts;
}

NdArray read_npy(const std::string& path) {
  const auto source = std::make_shared<FileSource>(path);
  const std::unique_ptr<ByteStream> stream = open_range(source, 0, source->size());
  const std::string where = "'" + path + "'";
  const NpyHeader header = read_npy_header(*stream, where);
  return read_npy_numbers(*stream, header, where);
}

void write_npy(const std::string& path, const NdArray& array) {
  AtomicFile file(path);
  file.write(npy_head(array.dtype(), array.shape()));
  file.write(array.bytes(), array.byte_size());
  file.commit();
}

std::string npy_head(DType dtype, const std::vector<std::size_t>& shape) {
  const std::size_t size = dtype_size(dtype);
  const char order = size == 1 ? '|' : machine_is_little ? '<' : '>';
  return head_of(std::string{order, kind_letter(dtype)} + std::to_string(size), shape);
}

std::string npy_text(const std::vector<std::string>& texts) {
  std::vector<std::vector<std::uint32_t>> rows;
  rows.reserve(texts.size());
  std::size_t width = 1;
  for (const std::string& text : texts) {
    if (!text.empty() && text.back() == '\0') {
      throw DataError("the text " + in_quotes(text) +
                      " ends in a NUL character, which the npy format cannot keep");
    }
    rows.push_back(code_points(text));
    width = std::max(width, rows.back().size());
  }
  const std::string descr = (machine_is_little ? "<U" : ">U") + std::to_string(width);
  std::string file = head_of(descr, {texts.size()});
  for (std::vector<std::uint32_t>& row : rows) {
    row.resize(width, 0);
    file.append(reinterpret_cast<const char*>(row.data()), width * sizeof(std::uint32_t));
  }
  return file;
}

}  // namespace cubcal
