#include "cubcal_nn/ood/appearance.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <vector>

#include "cubcal_nn/batches/levels.h"

namespace cubcal {

namespace {

constexpr std::int64_t kBatch = 64;  ///< images at a time: bounds the memory
constexpr std::int64_t kSmall = 32;  ///< side of the image that quantiles are taken of
constexpr std::int64_t kGrid = 4;
constexpr int kScales = 5;
constexpr double kFloor = 1e-4;  ///< of deviations, as a share of white

at::Tensor log_of_square(const at::Tensor& mean_square) {
  return (mean_square + kFloor * kFloor).log10();
}

/// [B] of [B, 1, H, W].
at::Tensor mean_square(const at::Tensor& values) { return values.square().mean({1, 2, 3}); }

void add_channels(const at::Tensor& images, std::vector<at::Tensor>& columns) {
  const at::Tensor mean = images.mean({2, 3});
  columns.push_back(mean);
  columns.push_back(log_of_square((images - mean.unsqueeze(2).unsqueeze(3)).square().mean({2, 3})));
  const at::Tensor small =
      std::get<0>(at::adaptive_avg_pool2d(images, {kSmall, kSmall}).flatten(2).sort(2));
  for (const double share : {0.05, 0.5, 0.95}) {
    columns.push_back(
        small.select(2, static_cast<std::int64_t>(share * static_cast<double>(small.size(2)))));
  }
}

void add_colours(const at::Tensor& images, std::vector<at::Tensor>& columns) {
  for (std::int64_t channel = 1; channel < images.size(1); ++channel) {
    const at::Tensor difference = images.narrow(1, channel, 1) - images.narrow(1, channel - 1, 1);
    columns.push_back(difference.mean({1, 2, 3}).unsqueeze(1));
    columns.push_back(log_of_square(mean_square(difference)).unsqueeze(1));
  }
}

void add_detail(const at::Tensor& grey, std::vector<at::Tensor>& columns) {
  at::Tensor image = grey;
  for (int scale = 0; scale < kScales; ++scale) {
    const at::Tensor coarse =
        at::avg_pool2d(image, {2, 2}, {2, 2}, 0, /*ceil_mode=*/true, /*count_include_pad=*/false);
    const at::Tensor blurred =
        at::upsample_nearest2d(coarse, {2 * coarse.size(2), 2 * coarse.size(3)})
            .narrow(2, 0, image.size(2))
            .narrow(3, 0, image.size(3));
    columns.push_back(log_of_square(mean_square(image - blurred)).unsqueeze(1));
    image = coarse;
  }
}

void add_layout(const at::Tensor& grey, std::vector<at::Tensor>& columns) {
  const at::Tensor cells = at::adaptive_avg_pool2d(grey, {kGrid, kGrid}).flatten(1);
  columns.push_back((cells - cells.mean(1, /*keepdim=*/true)).narrow(1, 0, cells.size(1) - 1));
}

}  // namespace

at::Tensor appearance_of(const at::Tensor& images) {
  const auto white = static_cast<double>(largest_level(images));
  std::vector<at::Tensor> rows;
  for (std::int64_t first = 0; first < images.size(0); first += kBatch) {
    const std::int64_t count = std::min(kBatch, images.size(0) - first);
    const at::Tensor part = levels_as_float(images.narrow(0, first, count)) / white;
    const at::Tensor grey = part.mean(1, /*keepdim=*/true);
    std::vector<at::Tensor> columns;
    add_channels(part, columns);
    add_colours(part, columns);
    add_detail(grey, columns);
    add_layout(grey, columns);
    rows.push_back(at::cat(columns, 1).to(at::kDouble));
  }
  return at::cat(rows);
}

}  // namespace cubcal
