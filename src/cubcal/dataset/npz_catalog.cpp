#include "cubcal/dataset/npz_catalog.h"

#include <algorithm>

#include "cubcal/core/error.h"
#include "cubcal/core/parse_number.h"
#include "cubcal/core/words.h"
#include "cubcal/io/npz.h"
#include "cubcal/io/utf8.h"

namespace cubcal {

namespace {

/// Throws unless the array can be images; gives how many.
std::size_t check_images(const NpzReader& file, const std::string& name) {
  const NpyHeader header = file.peek(name);
  const std::vector<std::size_t>& shape = header.shape;
  const bool has_channels = shape.size() == 4;
  const std::size_t channels = has_channels ? shape[3] : 1;
  if (header.is_text() || header.dtype != DType::kU8 || (shape.size() != 3 && !has_channels) ||
      (channels != 1 && channels != 3)) {
    throw DataError(file.where(name) + " is " + header.type_text() + " of shape " +
                    header.shape_text() +
                    "; images must be uint8 of shape (n, H, W), (n, H, W, 1) or (n, H, W, 3)");
  }
  if (header.count() == 0) throw DataError(file.where(name) + " holds no images");
  return shape[0];
}

template <class T>
std::vector<std::int64_t> widened(const NdArray& array) {
  return {array.as<T>(), array.as<T>() + array.size()};
}

std::vector<std::int64_t> integers(const NdArray& array, const std::string& where) {
  switch (array.dtype()) {
    case DType::kI8: return widened<std::int8_t>(array);
    case DType::kI16: return widened<std::int16_t>(array);
    case DType::kI32: return widened<std::int32_t>(array);
    case DType::kI64: return widened<std::int64_t>(array);
    case DType::kU8: return widened<std::uint8_t>(array);
    case DType::kU16: return widened<std::uint16_t>(array);
    case DType::kU32: return widened<std::uint32_t>(array);
    default:
      throw DataError(where + " is " + dtype_name(array.dtype()) +
                      "; labels must be integers of at most 64 bits");
  }
}

std::vector<std::int64_t> read_labels(const NpzReader& file, const std::string& name,
                                      std::size_t count) {
  const NdArray array = file.read(name);
  const std::vector<std::size_t>& shape = array.shape();
  const bool one_each = shape.size() == 1 || (shape.size() == 2 && shape[1] == 1);
  if (!one_each || shape[0] != count) {
    throw DataError(file.where(name) + " has shape " + array.shape_text() +
                    "; one label for each of the " + std::to_string(count) +
                    " images is needed, of shape (n,) or (n, 1)");
  }
  std::vector<std::int64_t> labels = integers(array, file.where(name));
  const auto [lowest, highest] = std::minmax_element(labels.begin(), labels.end());
  if (*lowest < 0 || *highest >= kMostClasses) {
    throw DataError(file.where(name) + " holds the label " +
                    std::to_string(*lowest < 0 ? *lowest : *highest) + "; labels must be in 0.." +
                    std::to_string(kMostClasses - 1));
  }
  return labels;
}

/// The splits with their labels, without the images.
NpzSet read_labels_of_splits(const NpzReader& file) {
  NpzSet set;
  std::int64_t classes = 2;
  for (const std::string name : {"train", "val", "test"}) {
    const std::string images = name + "_images", labels = name + "_labels";
    if (!file.has(images) && !file.has(labels)) continue;
    NpzSplit split;
    split.name = name;
    split.labels = read_labels(file, labels, check_images(file, images));
    classes = std::max(classes, *std::max_element(split.labels.begin(), split.labels.end()) + 1);
    set.splits.push_back(std::move(split));
  }
  if (set.splits.empty()) {
    throw DataError("'" + file.path() +
                    "' has none of the arrays 'train_images', 'val_images' and 'test_images'");
  }
  set.classes = static_cast<std::size_t>(classes);
  return set;
}

}  // namespace

NpzSet read_npz_set(const std::string& path) {
  const NpzReader file(path);
  NpzSet set = read_labels_of_splits(file);
  for (NpzSplit& split : set.splits) split.images = file.read(split.name + "_images");
  return set;
}

Catalog open_npz_catalog(const std::string& path) {
  const NpzSet set = read_labels_of_splits(NpzReader(path));
  Catalog catalog;
  catalog.kind = CatalogKind::kNpz;
  catalog.path = path;
  catalog.root = path;
  for (std::size_t k = 0; k < set.classes; ++k) catalog.class_names.push_back(std::to_string(k));
  for (const NpzSplit& split : set.splits) {
    for (std::size_t i = 0; i < split.size(); ++i) {
      Sample sample;
      sample.file = split.name + "/" + std::to_string(i);
      sample.label = split.labels[i];
      sample.label_name = catalog.class_names[static_cast<std::size_t>(split.labels[i])];
      sample.split = split.name;
      catalog.samples.push_back(std::move(sample));
    }
  }
  return catalog;
}

std::size_t npz_split_size(const std::string& path, const std::string& split) {
  const NpzReader file(path);
  const std::string images = split + "_images";
  if (!file.has(images)) {
    throw DataError(in_quotes(path) + " has no array '" + images + "'");
  }
  return check_images(file, images);
}

std::optional<NpzMember> npz_member(const std::string& path) {
  const std::size_t end = lower_case(path).rfind(".npz/");
  if (end == std::string::npos) return std::nullopt;
  const std::string file = path.substr(0, end + 4), rest = path.substr(end + 5);
  const std::size_t slash = rest.find('/');
  if (slash == 0 || slash == std::string::npos) return std::nullopt;
  const auto index = parse_whole<decltype(NpzMember::index)>(rest.substr(slash + 1));
  if (!index) return std::nullopt;
  return NpzMember{file, rest.substr(0, slash), *index};
}

}  // namespace cubcal
