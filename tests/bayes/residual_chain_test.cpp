#include "cubcal_nn/bayes/residual_chain.h"

#include <ATen/ATen.h>
#include <ATen/Context.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "cubcal_nn/bayes/parameter_store.h"

namespace cubcal {
namespace {

at::Tensor wave(at::IntArrayRef shape, double step, double height) {
  std::int64_t count = 1;
  for (const std::int64_t side : shape) count *= side;
  return (at::sin(at::arange(count, at::kDouble) * step) * height).view(shape);
}

NormedConv layer_of(std::int64_t in, std::int64_t out, std::int64_t kernel, std::int64_t stride,
                    double step) {
  NormedConv layer;
  layer.options.in_channels = in;
  layer.options.out_channels = out;
  layer.options.kernel = kernel;
  layer.options.stride = stride;
  layer.options.padding = kernel / 2;
  layer.weight = wave({out, in, kernel, kernel}, step, 0.5).set_requires_grad(true);
  layer.norm = {(wave({out}, 1.3, 0.3) + 1).set_requires_grad(true),
                wave({out}, 0.9, 0.2).set_requires_grad(true), at::zeros({out}, at::kDouble),
                at::zeros({out}, at::kDouble)};
  return layer;
}

/// A block that halves the image, beside a convolution, and two that keep it.
std::vector<ResidualLayers> three_blocks() {
  std::vector<ResidualLayers> blocks(3);
  blocks[0].layers = {layer_of(3, 4, 1, 2, 0.31), layer_of(4, 4, 3, 1, 0.17),
                      layer_of(4, 8, 1, 1, 0.23)};
  blocks[0].shortcut = layer_of(3, 8, 1, 2, 0.41);
  blocks[1].layers = {layer_of(8, 8, 3, 1, 0.13), layer_of(8, 8, 3, 1, 0.19)};
  blocks[2].layers = {layer_of(8, 4, 1, 1, 0.29), layer_of(4, 8, 3, 1, 0.37)};
  return blocks;
}

std::vector<at::Tensor> leaves_of(const std::vector<ResidualLayers>& blocks) {
  std::vector<at::Tensor> leaves;
  const auto note = [&](const NormedConv& layer) {
    leaves.insert(leaves.end(), {layer.weight, layer.norm.weight, layer.norm.bias});
  };
  for (const ResidualLayers& block : blocks) {
    for (const NormedConv& layer : block.layers) note(layer);
    if (block.shortcut) note(*block.shortcut);
  }
  return leaves;
}

at::Tensor plain_layer(const at::Tensor& x, const NormedConv& layer) {
  return at::batch_norm(
      at::conv2d(x, layer.weight, at::Tensor(), layer.options.stride, layer.options.padding),
      layer.norm.weight, layer.norm.bias, {}, {}, /*training=*/true, 0.1, kNormEpsilon, false);
}

at::Tensor plain_chain(at::Tensor x, const std::vector<ResidualLayers>& blocks) {
  for (const ResidualLayers& block : blocks) {
    at::Tensor y = x;
    for (std::size_t i = 0; i < block.layers.size(); ++i) {
      y = plain_layer(y, block.layers[i]);
      if (i + 1 < block.layers.size()) y = y.relu();
    }
    x = (y + (block.shortcut ? plain_layer(x, *block.shortcut) : x)).relu();
  }
  return x;
}

void expect_near(const std::vector<at::Tensor>& a, const std::vector<at::Tensor>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    ASSERT_TRUE(a[i].defined() && b[i].defined()) << i;
    EXPECT_LT((a[i] - b[i]).abs().max().item<double>(),
              1e-9 * (1 + a[i].abs().max().item<double>()))
        << i;
  }
}

TEST(ResidualChain, HasTheResultAndTheGradientsOfItsParts) {
  const at::Tensor x = wave({3, 3, 8, 8}, 0.07, 1).set_requires_grad(true);
  const std::vector<ResidualLayers> blocks = three_blocks();
  std::vector<at::Tensor> leaves = leaves_of(blocks);
  leaves.push_back(x);
  const at::Tensor plain = plain_chain(x, blocks);
  const at::Tensor lean = residual_chain(x, blocks);
  EXPECT_LT((plain - lean).abs().max().item<double>(), 1e-12);
  const at::Tensor slope = wave({3, 8, 4, 4}, 0.3, 1);
  expect_near(torch::autograd::grad({plain}, leaves, {slope}),
              torch::autograd::grad({lean}, leaves, {slope}));
  // The statistics of the batch are where they were asked for.
  const at::Tensor first = at::conv2d(x, blocks[0].layers[0].weight, at::Tensor(), 2).detach();
  const NormPlace& norm = blocks[0].layers[0].norm;
  EXPECT_LT((norm.batch_mean - first.mean({0, 2, 3})).abs().max().item<double>(), 1e-12);
  EXPECT_LT((norm.batch_variance - first.var({0, 2, 3})).abs().max().item<double>(), 1e-12);
}

TEST(NormReluPool, HasTheResultAndTheGradientsOfItsParts) {
  const at::Tensor x = wave({2, 4, 9, 9}, 0.07, 1).set_requires_grad(true);
  const NormPlace norm = layer_of(1, 4, 1, 1, 1).norm;
  const std::vector<at::Tensor> leaves = {x, norm.weight, norm.bias};
  const at::Tensor plain = at::max_pool2d(
      at::batch_norm(x, norm.weight, norm.bias, {}, {}, true, 0.1, kNormEpsilon, false).relu(), 3,
      2, 1);
  const at::Tensor lean = norm_relu_pool(x, norm);
  EXPECT_LT((plain - lean).abs().max().item<double>(), 1e-12);
  const at::Tensor slope = wave(plain.sizes(), 0.3, 1);
  expect_near(torch::autograd::grad({plain}, leaves, {slope}),
              torch::autograd::grad({lean}, leaves, {slope}));
}

}  // namespace
}  // namespace cubcal
