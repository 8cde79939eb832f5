#include "cubcal/io/logits_file.h"

#include <cstddef>
#include <limits>
#include <type_traits>

#include "cubcal/core/check.h"
#include "cubcal/core/error.h"
#include "cubcal/io/npz.h"

namespace cubcal {

namespace {

bool is_integer(DType dtype) { return !is_floating(dtype) && dtype != DType::kBool; }

/// Calls use(pointer to the first element, as its integer type).
template <class Use>
void with_integers(const NdArray& array, Use use) {
  switch (array.dtype()) {
    case DType::kI8: return use(array.as<std::int8_t>());
    case DType::kI16: return use(array.as<std::int16_t>());
    case DType::kI32: return use(array.as<std::int32_t>());
    case DType::kI64: return use(array.as<std::int64_t>());
    case DType::kU8: return use(array.as<std::uint8_t>());
    case DType::kU16: return use(array.as<std::uint16_t>());
    case DType::kU32: return use(array.as<std::uint32_t>());
    case DType::kU64: return use(array.as<std::uint64_t>());
    default: return;
  }
}

/// Tables of class against class grow with the square of it.
constexpr std::size_t kMostClasses = 2048;

/// Checks the head of the logits and gives an [N,K] array its axis of passes. A leading axis of
/// length 1 changes the place of no element, in C or in Fortran order.
void check_logits(NpyHeader& header, const std::string& where) {
  if (header.is_text() || !is_floating(header.dtype)) {
    throw DataError(where + " is " + header.type_text() +
                    ", but logits must be float16, float32 or float64");
  }
  const std::vector<std::size_t>& shape = header.shape;
  if (shape.size() != 2 && shape.size() != 3) {
    throw DataError(where + " has shape " + header.shape_text() +
                    ", but logits must be [S,N,K] (passes, samples, classes) or [N,K]");
  }
  if (header.count() == 0) {
    throw DataError(where + " has shape " + header.shape_text() +
                    ", but logits need at least one pass, one sample and two classes");
  }
  if (shape.back() < 2) {
    throw DataError(where + " has shape " + header.shape_text() +
                    " and so a single class, but at least two are needed");
  }
  if (shape.back() > kMostClasses) {
    throw DataError(where + " has shape " + header.shape_text() + " and so " +
                    std::to_string(shape.back()) + " classes, but at most " +
                    std::to_string(kMostClasses) + " are accepted");
  }
  if (shape.size() == 2) header.shape.insert(header.shape.begin(), 1);
}

/// One entry for each sample or class: [length] or [length,1].
void check_length(const NpyHeader& header, std::size_t length, const char* axis,
                  const std::string& where) {
  const std::vector<std::size_t>& shape = header.shape;
  const bool is_column = shape.size() == 2 && shape[1] == 1;
  if ((shape.size() == 1 || is_column) && shape[0] == length) return;
  throw DataError(where + " has shape " + header.shape_text() + ", but the logits have " +
                  std::to_string(length) + " " + axis);
}

std::vector<std::int64_t> to_labels(const NdArray& array, std::size_t classes,
                                    const std::string& where) {
  std::vector<std::int64_t> labels(array.size());
  with_integers(array, [&](const auto* values) {
    using Value = std::remove_cv_t<std::remove_pointer_t<decltype(values)>>;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const Value value = values[i];
      bool is_negative = false;
      if constexpr (std::is_signed_v<Value>) is_negative = value < 0;
      if (is_negative || static_cast<std::uint64_t>(value) >= classes) {
        throw DataError(where + " has the label " + std::to_string(value) + " at index " +
                        std::to_string(i) + ", but the logits have classes 0 to " +
                        std::to_string(classes - 1));
      }
      labels[i] = static_cast<std::int64_t>(value);
    }
  });
  return labels;
}

std::vector<std::string> read_groups(const NpzReader& npz) {
  if (npz.peek("groups").is_text()) return npz.read_text("groups");
  const NdArray array = npz.read("groups");
  std::vector<std::string> groups(array.size());
  with_integers(array, [&](const auto* values) {
    for (std::size_t i = 0; i < groups.size(); ++i) groups[i] = std::to_string(values[i]);
  });
  return groups;
}

/// Checks type and length of the arrays beside the logits from their heads alone, so that a wrong
/// file is refused before much is read or allocated.
void check_companions(const NpzReader& npz, std::size_t samples, std::size_t classes) {
  if (npz.has("labels")) {
    const NpyHeader header = npz.peek("labels");
    if (header.is_text() || !is_integer(header.dtype)) {
      throw DataError(npz.where("labels") + " is " + header.type_text() +
                      ", but labels must be integers, as labels.astype(np.int64) makes them");
    }
    check_length(header, samples, "samples", npz.where("labels"));
  }
  if (npz.has("groups")) {
    const NpyHeader header = npz.peek("groups");
    if (!header.is_text() && !is_integer(header.dtype)) {
      throw DataError(npz.where("groups") + " is " + header.type_text() +
                      ", but groups must be text or integers");
    }
    check_length(header, samples, "samples", npz.where("groups"));
  }
  const auto check_text = [&npz](const char* name, const char* what, std::size_t count,
                                 const char* of) {
    if (!npz.has(name)) return;
    const NpyHeader header = npz.peek(name);
    if (!header.is_text()) {
      throw DataError(npz.where(name) + " is " + header.type_text() + ", but " + what +
                      " must be text");
    }
    check_length(header, count, of, npz.where(name));
  };
  check_text("files", "file names", samples, "samples");
  check_text("class_names", "class names", classes, "classes");
}

LogitsFile read_npz_logits(std::shared_ptr<const ByteSource> source) {
  const NpzReader npz(std::move(source));
  const std::string where = npz.where("logits");
  const std::unique_ptr<ByteStream> stream = npz.open("logits");
  NpyHeader header = read_npy_header(*stream, where);
  check_logits(header, where);
  const std::size_t samples = header.shape[1];
  const std::size_t classes = header.shape[2];
  check_companions(npz, samples, classes);
  LogitsFile file;
  file.path = npz.path();
  file.has_labels = npz.has("labels");
  if (file.has_labels) file.labels = to_labels(npz.read("labels"), classes, npz.where("labels"));
  if (npz.has("groups")) file.groups = read_groups(npz);
  if (npz.has("files")) file.files = npz.read_text("files");
  if (npz.has("class_names")) file.class_names = npz.read_text("class_names");
  file.logits = read_npy_numbers(*stream, header, where);
  return file;
}

LogitsFile read_npy_logits(const std::shared_ptr<const ByteSource>& source) {
  const std::string where = "'" + source->name() + "'";
  const std::unique_ptr<ByteStream> stream = open_range(source, 0, source->size());
  NpyHeader header = read_npy_header(*stream, where);
  check_logits(header, where);
  LogitsFile file;
  file.path = source->name();
  file.logits = read_npy_numbers(*stream, header, where);
  return file;
}

}  // namespace

LogitsFile read_logits_file(const std::string& path) {
  return read_logits_file(std::make_shared<FileSource>(path));
}

LogitsFile read_logits_file(std::shared_ptr<const ByteSource> source) {
  if (is_npy(*source)) return read_npy_logits(source);
  if (ZipArchive::is_likely(*source)) return read_npz_logits(std::move(source));
  throw DataError("'" + source->name() + "' is neither an npz nor an npy file");
}

void check_same_classes(const LogitsFile& file, const LogitsFile& other) {
  const std::size_t classes = file.logits.shape().back();
  const std::size_t others = other.logits.shape().back();
  if (classes == others) return;
  throw DataError("'" + other.path + "' has " + std::to_string(others) + " classes, but '" +
                  file.path + "' has " + std::to_string(classes));
}

void write_logits_file(const std::string& path, const LogitsFile& file) {
  const std::vector<std::size_t>& shape = file.logits.shape();
  if (!is_floating(file.logits.dtype()) || shape.size() != 3) {
    throw ArgumentError("logits must be a floating-point array [S,N,K], not " +
                        std::string(dtype_name(file.logits.dtype())) + " of shape " +
                        file.logits.shape_text());
  }
  if (file.has_labels) check_same_size("labels", file.labels.size(), "the sample axis", shape[1]);
  if (!file.groups.empty())
    check_same_size("groups", file.groups.size(), "the sample axis", shape[1]);
  if (!file.files.empty()) check_same_size("files", file.files.size(), "the sample axis", shape[1]);
  if (!file.class_names.empty()) {
    check_same_size("class_names", file.class_names.size(), "the class axis", shape[2]);
  }
  NpzWriter npz(path);
  npz.add("logits", file.logits);
  if (file.has_labels) npz.add("labels", ArrayView<const std::int64_t>(file.labels), {shape[1]});
  if (!file.groups.empty()) npz.add_text("groups", file.groups);
  if (!file.files.empty()) npz.add_text("files", file.files);
  if (!file.class_names.empty()) npz.add_text("class_names", file.class_names);
  npz.finish();
}

}  // namespace cubcal
