#include "cubcal_nn/batches/sample_set.h"

#include <ATen/ATen.h>

#include "cubcal/core/error.h"

namespace cubcal {

namespace {

at::Tensor as_tensor(const std::vector<std::int64_t>& values, const SplitRange& range) {
  const std::vector<std::int64_t> part(values.begin() + static_cast<std::ptrdiff_t>(range.first),
                                       values.begin() + static_cast<std::ptrdiff_t>(range.last));
  return at::tensor(part, at::kLong);
}

void check_splits(const Catalog& catalog) {
  for (const Sample& sample : catalog.samples) {
    if (sample.split.empty()) {
      throw DataError("'" + catalog.path + "' is not split: '" + sample.file + "' has no split");
    }
  }
}

}  // namespace

at::Tensor levels_tensor(const NdArray& images) {
  std::vector<std::int64_t> shape;
  for (const std::size_t extent : images.shape())
    shape.push_back(static_cast<std::int64_t>(extent));
  const std::shared_ptr<std::byte> memory = images.memory();
  const auto type = images.dtype() == DType::kU16 ? at::kShort : at::kByte;
  return at::from_blob(
      memory.get(), shape, [memory](void*) {}, at::TensorOptions().dtype(type));
}

ImageSet to_image_set(const SampleBlock& block) {
  const Catalog& catalog = block.catalog;
  check_splits(catalog);
  ImageSet set;
  set.name = catalog.path;
  set.kind = catalog_kind_name(catalog.kind);
  set.class_names = catalog.class_names;
  set.columns = catalog.columns;
  set.fit = block.fit;
  set.reduce_to = static_cast<std::int64_t>(block.reduce_to);
  set.dicom_window = block.dicom_window;
  set.notes = catalog.notes;
  set.skipped = block.skipped;
  const at::Tensor images = levels_tensor(block.images);
  const std::vector<std::int64_t> groups = group_numbers(catalog);
  for (const SplitRange& range : split_ranges(catalog)) {
    ImageSplit split;
    split.name = range.split;
    split.outliers = range.split == kOutlierSplit;
    split.images = images.narrow(0, static_cast<std::int64_t>(range.first),
                                 static_cast<std::int64_t>(range.last - range.first));
    split.metadata.resize(catalog.columns.size());
    std::vector<std::int64_t> labels;
    for (std::size_t i = range.first; i < range.last; ++i) {
      const Sample& sample = catalog.samples[i];
      labels.push_back(sample.label);
      split.files.push_back(sample.file);
      split.label_names.push_back(sample.label_name);
      for (std::size_t c = 0; c < catalog.columns.size(); ++c) {
        split.metadata[c].push_back(sample.metadata[c]);
      }
    }
    split.labels = at::tensor(labels, at::kLong);
    if (catalog.has_groups()) split.groups = as_tensor(groups, range);
    set.splits.push_back(std::move(split));
  }
  return set;
}

}  // namespace cubcal
