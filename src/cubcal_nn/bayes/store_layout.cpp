#include "cubcal_nn/bayes/store_layout.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <cstring>
#include <limits>

#include "cubcal/core/error.h"

namespace cubcal {

namespace {

template <class Item>
at::Tensor bytes_on(const std::vector<Item>& items, c10::Device device) {
  const auto size = static_cast<std::int64_t>(items.size() * sizeof(Item));
  at::Tensor bytes = at::empty({size}, at::kByte);
  if (size > 0) std::memcpy(bytes.data_ptr(), items.data(), static_cast<std::size_t>(size));
  return bytes.to(device);
}

FusedSegment make_segment(const ParameterEntry& entry) {
  FusedSegment segment{entry.offset, entry.size, 0, -1, 1, 1};
  if (entry.shape.size() > 1) {
    segment.row = static_cast<std::int32_t>(entry.size / entry.shape[0]);
  }
  if (entry.shape.size() == 4) {
    segment.area = static_cast<std::int32_t>(entry.shape[2] * entry.shape[3]);
    if (segment.row == segment.area) segment.area = 1;  // one channel in: both layouts are the same
  }
  return segment;
}

/// Weights of convolutions and linear layers have two dimensions and more; a bias follows its
/// weight.
bool is_weight_or_its_bias(const ParameterStore& store, std::size_t index) {
  const auto& entries = store.parameters();
  if (entries[index].shape.size() > 1) return true;
  if (index == 0 || entries[index - 1].shape.size() < 2) return false;
  const auto prefix = [](const std::string& path) { return path.substr(0, path.rfind('.')); };
  return prefix(entries[index].path) == prefix(entries[index - 1].path);
}

}  // namespace

FusedLayout fused_layout_of(const ParameterStore& store, ParameterKind kind) {
  FusedLayout layout;
  layout.size = kind == ParameterKind::kPoint ? store.point_size() : store.variational_size();
  for (std::size_t i = 0; i < store.parameters().size(); ++i) {
    const ParameterEntry& entry = store.parameters()[i];
    if (entry.kind != kind || entry.size == 0 || !is_weight_or_its_bias(store, i)) continue;
    if (entry.size > std::numeric_limits<std::int32_t>::max()) {
      throw ArgumentError("parameter " + entry.path + " has more than 2^31 values");
    }
    layout.parameters.push_back(i);
    layout.segments.push_back(make_segment(entry));
    layout.segments.back().place = layout.draw_size;
    layout.draw_size += (entry.size + kDrawAlignment - 1) / kDrawAlignment * kDrawAlignment;
  }
  for (const NormFold& fold : store.norm_folds()) {
    for (std::size_t s = 0; s < layout.segments.size(); ++s) {
      if (layout.parameters[s] != fold.weight && layout.parameters[s] != fold.bias) continue;
      layout.segments[s].affine = layout.affine_rows;
      layout.affine_rows += layout.segments[s].size / layout.segments[s].row;
    }
  }
  for (std::size_t s = 0; s < layout.segments.size(); ++s) {
    std::int64_t done = 0;
    while (done < layout.segments[s].size) {
      const std::int64_t count = tile_size(layout.segments[s], done);
      layout.tiles.push_back({layout.segments[s].offset + done, static_cast<std::int32_t>(count),
                              static_cast<std::int32_t>(s)});
      done += count;
    }
  }
  layout.device_segments = bytes_on(layout.segments, store.device());
  layout.device_tiles = bytes_on(layout.tiles, store.device());
  return layout;
}

}  // namespace cubcal
