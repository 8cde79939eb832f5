#include "cubcal/data/npz_set.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cstring>

#include "cubcal/core/error.h"
#include "cubcal/io/npz.h"

namespace cubcal {

namespace {

at::Tensor read_images(const NpzReader& file, const std::string& name) {
  const NdArray array = file.read(name);
  const std::vector<std::size_t>& shape = array.shape();
  const bool has_channels = shape.size() == 4;
  const std::size_t channels = has_channels ? shape[3] : 1;
  if (array.dtype() != DType::kU8 || (shape.size() != 3 && !has_channels) ||
      (channels != 1 && channels != 3)) {
    throw DataError(file.where(name) + " is " + dtype_name(array.dtype()) + " of shape " +
                    array.shape_text() +
                    "; images must be uint8 of shape (n, H, W), (n, H, W, 1) or (n, H, W, 3)");
  }
  if (array.size() == 0) throw DataError(file.where(name) + " holds no images");
  const auto extent = [&](std::size_t axis) { return static_cast<std::int64_t>(shape[axis]); };
  const at::Tensor images =
      at::empty({extent(0), extent(1), extent(2), static_cast<std::int64_t>(channels)}, at::kByte);
  std::memcpy(images.data_ptr<std::uint8_t>(), array.bytes(), array.byte_size());
  return images.permute({0, 3, 1, 2}).contiguous();
}

template <class T>
void widen(const NdArray& array, std::int64_t* out) {
  std::copy_n(array.as<T>(), array.size(), out);
}

at::Tensor read_labels(const NpzReader& file, const std::string& name, std::int64_t count) {
  const NdArray array = file.read(name);
  const std::vector<std::size_t>& shape = array.shape();
  const bool one_each = shape.size() == 1 || (shape.size() == 2 && shape[1] == 1);
  if (!one_each || static_cast<std::int64_t>(shape[0]) != count) {
    throw DataError(file.where(name) + " has shape " + array.shape_text() +
                    "; one label for each of the " + std::to_string(count) +
                    " images is needed, of shape (n,) or (n, 1)");
  }
  const at::Tensor labels = at::empty({count}, at::kLong);
  auto* out = labels.data_ptr<std::int64_t>();
  switch (array.dtype()) {
    case DType::kI8: widen<std::int8_t>(array, out); break;
    case DType::kI16: widen<std::int16_t>(array, out); break;
    case DType::kI32: widen<std::int32_t>(array, out); break;
    case DType::kI64: widen<std::int64_t>(array, out); break;
    case DType::kU8: widen<std::uint8_t>(array, out); break;
    case DType::kU16: widen<std::uint16_t>(array, out); break;
    case DType::kU32: widen<std::uint32_t>(array, out); break;
    default:
      throw DataError(file.where(name) + " is " + dtype_name(array.dtype()) +
                      "; labels must be integers of at most 64 bits");
  }
  const std::int64_t lowest = labels.min().item<std::int64_t>();
  const std::int64_t highest = labels.max().item<std::int64_t>();
  constexpr std::int64_t most_classes = 10'000;
  if (lowest < 0 || highest >= most_classes) {
    throw DataError(file.where(name) + " holds the label " +
                    std::to_string(lowest < 0 ? lowest : highest) + "; labels must be in 0.." +
                    std::to_string(most_classes - 1));
  }
  return labels;
}

}  // namespace

ImageSet load_npz_set(const std::string& path) {
  const NpzReader file(path);
  ImageSet set;
  set.name = path;
  std::int64_t classes = 2;
  for (const std::string split_name : {"train", "val", "test"}) {
    const std::string images = split_name + "_images", labels = split_name + "_labels";
    if (!file.has(images) && !file.has(labels)) continue;
    ImageSplit split;
    split.name = split_name;
    split.images = read_images(file, images);
    split.labels = read_labels(file, labels, split.size());
    classes = std::max(classes, split.labels.max().item<std::int64_t>() + 1);
    set.splits.push_back(std::move(split));
  }
  if (set.splits.empty()) {
    throw DataError("'" + path +
                    "' has none of the arrays 'train_images', 'val_images' and 'test_images'");
  }
  for (std::int64_t k = 0; k < classes; ++k) set.class_names.push_back(std::to_string(k));
  check_image_set(set);
  return set;
}

}  // namespace cubcal
