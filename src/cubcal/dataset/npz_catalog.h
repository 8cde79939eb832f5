#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cubcal/core/nd_array.h"
#include "cubcal/dataset/catalog.h"
#include "cubcal/image/image_file.h"

/// An .npz file in the layout of MedMNIST: `train_images`, `val_images` and `test_images` as uint8
/// [n, H, W] or [n, H, W, C] with 1 or 3 channels, and `<split>_labels` as integers of shape [n, 1]
/// or [n]. Any of the three splits may be absent, but not all of them. Classes are called "0", "1",
/// ... up to the largest label, and there are at least two. Anything else, such as labels of
/// several columns (multi-label sets), is a DataError that names the array.
namespace cubcal {

struct NpzSplit {
  std::string name;
  NdArray images;
  std::vector<std::int64_t> labels;

  std::size_t size() const { return labels.size(); }
  std::size_t height() const { return images.shape()[1]; }
  std::size_t width() const { return images.shape()[2]; }
  std::size_t channels() const { return images.shape().size() == 4 ? images.shape()[3] : 1; }
  /// The bytes of one image: rows from the top, channels interleaved.
  const std::uint8_t* pixels(std::size_t index) const {
    return images.as<std::uint8_t>() + index * height() * width() * channels();
  }
};

struct NpzSet {
  std::vector<NpzSplit> splits;  ///< in the order train, val, test
  std::size_t classes = 0;
};

NpzSet read_npz_set(const std::string& path);

/// Reads the labels and of the images only the shapes.
Catalog open_npz_catalog(const std::string& path);

/// How many images a split has; throws DataError where the file has no such split.
std::size_t npz_split_size(const std::string& path, const std::string& split);

/// An image of an npz set by its path, "sets/a.npz/train/17".
struct NpzMember {
  std::string file;
  std::string split;
  std::size_t index = 0;
};

/// None where the path is not of this form.
std::optional<NpzMember> npz_member(const std::string& path);

}  // namespace cubcal
