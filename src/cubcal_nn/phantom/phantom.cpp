#include "cubcal_nn/phantom/phantom.h"

#include <ATen/ATen.h>

#include "cubcal/core/parallel.h"

namespace cubcal {

namespace {

ImageSplit draw_split(const PhantomOptions& options, PhantomSplit which, std::size_t size,
                      std::vector<PhantomTruth>& truths) {
  const auto count = static_cast<std::int64_t>(size);
  const auto side = static_cast<std::int64_t>(options.image_size);
  ImageSplit split;
  split.name = phantom_split_name(which);
  split.outliers = which == PhantomSplit::kOod;
  split.images = at::empty({count, 3, side, side}, at::kByte);
  split.labels = at::empty({count}, at::kLong);
  split.groups = at::empty({count}, at::kLong);
  truths.resize(size);
  auto* pixels = split.images.data_ptr<std::uint8_t>();
  auto* labels = split.labels.data_ptr<std::int64_t>();
  auto* groups = split.groups.data_ptr<std::int64_t>();
  const std::size_t bytes = 3 * options.image_size * options.image_size;
  parallel_blocks(size, 16, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      truths[i] =
          draw_phantom(options, which, static_cast<std::uint32_t>(i), {pixels + i * bytes, bytes});
      labels[i] = truths[i].label;
      groups[i] = truths[i].patient;
    }
  });
  for (const PhantomTruth& truth : truths) {
    split.label_names.emplace_back(
        split.outliers ? phantom_outlier_name(static_cast<PhantomOutlier>(truth.clean_label))
                       : phantom_class_name(static_cast<PhantomClass>(truth.label)));
  }
  return split;
}

}  // namespace

PhantomSet make_phantom_set(const PhantomOptions& options) {
  check_phantom_options(options);
  PhantomSet phantom;
  phantom.set.name = "phantom";
  for (std::size_t k = 0; k < kPhantomClasses; ++k) {
    phantom.set.class_names.push_back(phantom_class_name(static_cast<PhantomClass>(k)));
  }
  const std::size_t sizes[kPhantomSplits] = {options.train, options.val, options.test, options.ood};
  phantom.truths.resize(kPhantomSplits);
  for (std::size_t i = 0; i < kPhantomSplits; ++i) {
    phantom.set.splits.push_back(
        draw_split(options, static_cast<PhantomSplit>(i), sizes[i], phantom.truths[i]));
  }
  return phantom;
}

}  // namespace cubcal
