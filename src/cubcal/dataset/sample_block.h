#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cubcal/core/nd_array.h"
#include "cubcal/dataset/catalog.h"
#include "cubcal/dataset/image_fit.h"
#include "cubcal/image/image_file.h"

namespace cubcal {

/// The samples of a catalog with their images, all of one size, ready for a network.
struct SampleBlock {
  Catalog catalog;  ///< samples in the order of split_names(), within a split as they came
  NdArray images;   ///< uint8 or uint16 [N, C, H, W]
  ImageFit fit = ImageFit::kStretch;
  std::size_t reduce_to = 0;  ///< see ImageShape
  DicomWindow dicom_window = DicomWindow::kFile;
  std::vector<std::string> skipped;  ///< why files were left out, a sentence each

  std::size_t channels() const { return images.shape()[1]; }
  std::size_t height() const { return images.shape()[2]; }
  std::size_t width() const { return images.shape()[3]; }
  bool is_deep() const { return images.dtype() == DType::kU16; }
};

/// Consecutive samples [first, last) that make up a split.
struct SplitRange {
  std::string split;
  std::size_t first = 0;
  std::size_t last = 0;
};
std::vector<SplitRange> split_ranges(const Catalog& catalog);

/// Groups as numbers, in the order they first come; samples without one are a group of their own.
std::vector<std::int64_t> group_numbers(const Catalog& catalog);

/// The catalog with its samples in the order of split_names().
Catalog ordered_by_split(Catalog catalog);

/// The block of `chosen`, whose samples (told by their file) must all be the block's: what select,
/// take_fraction and split_catalog made of its catalog. Shares the images where all are kept in
/// order.
SampleBlock subset(const SampleBlock& block, const Catalog& chosen);

/// One of its images.
Image image_of(const SampleBlock& block, std::size_t sample);

/// Of class names and, split by split, name, shape, images, labels and groups.
std::string content_hash(const SampleBlock& block);

}  // namespace cubcal
