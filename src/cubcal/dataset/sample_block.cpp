#include "cubcal/dataset/sample_block.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "cubcal/core/parallel.h"
#include "cubcal/dataset/set_hash.h"

namespace cubcal {

std::vector<SplitRange> split_ranges(const Catalog& catalog) {
  std::vector<SplitRange> ranges;
  for (std::size_t i = 0; i < catalog.samples.size(); ++i) {
    const std::string& split = catalog.samples[i].split;
    if (ranges.empty() || ranges.back().split != split) ranges.push_back({split, i, i});
    ranges.back().last = i + 1;
  }
  return ranges;
}

std::vector<std::int64_t> group_numbers(const Catalog& catalog) {
  std::unordered_map<std::string, std::int64_t> known;
  std::vector<std::int64_t> numbers;
  std::int64_t next = 0;
  for (const Sample& sample : catalog.samples) {
    if (sample.group.empty()) {
      numbers.push_back(next++);
      continue;
    }
    const auto [entry, is_new] = known.emplace(sample.group, next);
    if (is_new) ++next;
    numbers.push_back(entry->second);
  }
  return numbers;
}

Catalog ordered_by_split(Catalog catalog) {
  std::unordered_map<std::string, std::size_t> rank;
  for (const std::string& split : catalog.split_names()) rank.emplace(split, rank.size());
  rank.emplace("", rank.size());  // not split
  std::stable_sort(
      catalog.samples.begin(), catalog.samples.end(),
      [&](const Sample& a, const Sample& b) { return rank.at(a.split) < rank.at(b.split); });
  return catalog;
}

SampleBlock subset(const SampleBlock& block, const Catalog& chosen) {
  SampleBlock result;
  result.catalog = ordered_by_split(chosen);
  result.fit = block.fit;
  result.reduce_to = block.reduce_to;
  result.dicom_window = block.dicom_window;
  result.skipped = block.skipped;
  std::unordered_map<std::string, std::size_t> rows;
  for (std::size_t i = 0; i < block.catalog.samples.size(); ++i) {
    rows.emplace(block.catalog.samples[i].file, i);
  }
  std::vector<std::size_t> taken;
  bool all_in_order = result.catalog.samples.size() == rows.size();
  for (const Sample& sample : result.catalog.samples) {
    all_in_order = all_in_order && rows.at(sample.file) == taken.size();
    taken.push_back(rows.at(sample.file));
  }
  if (all_in_order) {
    result.images = NdArray(block.images.dtype(), block.images.shape(), block.images.memory());
    return result;
  }
  std::vector<std::size_t> shape = block.images.shape();
  const std::size_t image_bytes = block.images.byte_size() / shape[0];
  shape[0] = taken.size();
  result.images = NdArray(block.images.dtype(), shape);
  parallel_blocks(taken.size(), 64, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      std::memcpy(result.images.bytes() + i * image_bytes,
                  block.images.bytes() + taken[i] * image_bytes, image_bytes);
    }
  });
  return result;
}

Image image_of(const SampleBlock& block, std::size_t sample) {
  Image image;
  image.height = block.height();
  image.width = block.width();
  image.channels = block.channels();
  const std::size_t plane = image.height * image.width;
  const auto take = [&](const auto* levels, auto& pixels) {
    levels += sample * plane * image.channels;
    pixels.resize(plane * image.channels);
    for (std::size_t c = 0; c < image.channels; ++c) {
      for (std::size_t i = 0; i < plane; ++i) {
        pixels[i * image.channels + c] = levels[c * plane + i];
      }
    }
  };
  if (block.is_deep()) {
    take(block.images.as<std::uint16_t>(), image.deep_pixels);
  } else {
    take(block.images.as<std::uint8_t>(), image.pixels);
  }
  return image;
}

std::string content_hash(const SampleBlock& block) {
  SetHash hash(block.catalog.class_names);
  const std::vector<std::int64_t> groups = group_numbers(block.catalog);
  const std::size_t image_bytes =
      block.images.shape()[0] == 0 ? 0 : block.images.byte_size() / block.images.shape()[0];
  for (const SplitRange& range : split_ranges(block.catalog)) {
    const std::size_t count = range.last - range.first;
    std::vector<std::int64_t> labels;
    for (std::size_t i = range.first; i < range.last; ++i) {
      labels.push_back(block.catalog.samples[i].label);
    }
    hash.begin_split(range.split);
    hash.add_array({count, block.channels(), block.height(), block.width()},
                   block.images.bytes() + range.first * image_bytes, count * image_bytes);
    hash.add_array({count}, labels.data(), count * sizeof labels[0]);
    if (block.catalog.has_groups()) {
      hash.add_array({count}, groups.data() + range.first, count * sizeof groups[0]);
    } else {
      hash.add_nothing();
    }
  }
  return hash.text();
}

}  // namespace cubcal
