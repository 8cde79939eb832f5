#include "cubcal/data/balance.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "cubcal/catalog/splitting.h"
#include "cubcal/data/levels.h"

namespace cubcal {

namespace {

constexpr std::int64_t kBatch = 256;  // bounds the memory of images as floats

std::vector<std::string> chosen(const std::vector<std::string>& all,
                                const std::vector<std::int64_t>& places) {
  std::vector<std::string> result;
  for (const std::int64_t place : places) result.push_back(all[static_cast<std::size_t>(place)]);
  return result;
}

/// The images at `places`, those from `originals` on augmented. Keys are places in the result.
at::Tensor with_copies(const at::Tensor& images, const std::vector<std::int64_t>& places,
                       std::int64_t originals, const AugmentationOptions& augmentation,
                       std::uint64_t seed) {
  const at::Tensor result = images.index_select(0, at::tensor(places, at::kLong));
  const std::int64_t height = images.size(2), width = images.size(3);
  for (std::int64_t first = originals; first < result.size(0); first += kBatch) {
    const std::int64_t rows = std::min(kBatch, result.size(0) - first);
    AugmentationKey key{seed, 0, {}};
    for (std::int64_t i = 0; i < rows; ++i) key.indices.push_back(first + i);
    const at::Tensor part = result.narrow(0, first, rows);
    part.copy_(float_as_levels(augment(levels_as_float(part), key, augmentation, height, width),
                               largest_level(images)));
  }
  return result;
}

}  // namespace

ImageSplit balance_split(const ImageSplit& split, std::size_t classes,
                         const AugmentationOptions& augmentation, std::uint64_t seed) {
  const at::Tensor labels = split.labels.cpu().contiguous();
  const auto* label = labels.data_ptr<std::int64_t>();
  const std::vector<std::size_t> members =
      balanced_members({label, label + labels.numel()}, classes, seed);
  // The originals first, in their order, then the copies.
  std::vector<bool> seen(static_cast<std::size_t>(split.size()), false);
  std::vector<std::int64_t> places, copies;
  for (std::int64_t i = 0; i < split.size(); ++i) places.push_back(i);
  for (const std::size_t member : members) {
    if (seen[member]) copies.push_back(static_cast<std::int64_t>(member));
    seen[member] = true;
  }
  places.insert(places.end(), copies.begin(), copies.end());

  ImageSplit result = split;
  result.images = with_copies(split.images, places, split.size(), augmentation, seed);
  const at::Tensor index = at::tensor(places, at::kLong);
  result.labels = split.labels.index_select(0, index);
  if (split.groups.defined()) result.groups = split.groups.index_select(0, index);
  if (!split.files.empty()) result.files = chosen(split.files, places);
  for (std::vector<std::string>& column : result.metadata) column = chosen(column, places);
  return result;
}

}  // namespace cubcal
