#include "cubcal_nn/script/script_check.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <vector>

#include "cubcal/core/error.h"
#include "cubcal_nn/kernels/noise.h"

namespace cubcal {

namespace {

constexpr std::int64_t kImages = 3;
constexpr double kSame = 1e-4;  // of the largest logit
constexpr double kRepeated = 1e-6;

ForwardContext pass_of(const Network& network, std::uint32_t pass, std::int64_t first_sample) {
  ForwardContext context = network.mean_context();
  context.mc_dropout = network.options().kind == LayerKind::kMcDropout;
  context.noise.pass = pass;
  context.first_sample = first_sample;
  return context;
}

at::Tensor drawn_images(const NetworkOptions& options) {
  at::Tensor images = at::empty({kImages, options.channels, options.height, options.width});
  normal_noise(images, {1, 2, 3});
  return images.to(options.device);
}

double largest(const at::Tensor& values) { return values.abs().max().item<double>(); }

void check_logits(const at::Tensor& logits, const std::string& file) {
  if (!logits.isfinite().all().item<bool>()) {
    throw DataError(file + " gives logits that are not finite for images of noise");
  }
  const bool are_probabilities =
      (logits >= 0).all().item<bool>() && largest(logits.to(at::kDouble).sum(1) - 1) < 1e-4;
  if (are_probabilities) {
    throw DataError(file +
                    " gives probabilities, and logits are needed: save it without its softmax");
  }
}

/// Brighter and darker images move logits, and leave what ends in a sigmoid within 0 and 1.
void refuse_sigmoid(const Network& network, const at::Tensor& images, const std::string& file) {
  for (const double scale : {1.0, -1.0, 10.0, -10.0, 100.0, -100.0}) {
    for (std::int64_t i = 0; i < kImages; ++i) {
      const at::Tensor values =
          network.forward(images.narrow(0, i, 1) * scale, pass_of(network, 0, i));
      if (!((values >= 0) & (values <= 1)).all().item<bool>()) return;
    }
  }
  throw DataError(file +
                  " gives nothing but numbers from 0 to 1, as a sigmoid does, and logits are "
                  "needed: save it without its last layer");
}

/// After all else: `first` are the logits of the first image in pass 0 before it.
void refuse_memory(const Network& network, const at::Tensor& images, const at::Tensor& first,
                   const std::string& file) {
  const at::Tensor again = network.forward(images.narrow(0, 0, 1), pass_of(network, 0, 0));
  if (largest(again - first) <= kRepeated * (1e-6 + largest(first))) return;
  throw DataError(file +
                  " gives other logits for the same image the second time: it changes itself while "
                  "it predicts, so that answers would depend on those before");
}

}  // namespace

bool images_are_independent(const Network& network, const std::string& file) {
  const c10::NoGradGuard no_grad;
  const at::Tensor images = drawn_images(network.options());
  std::vector<at::Tensor> rows;
  for (std::int64_t i = 0; i < kImages; ++i) {
    Features features;
    rows.push_back(network.forward(images.narrow(0, i, 1), pass_of(network, 0, i), &features));
  }
  const at::Tensor alone = at::cat(rows);
  check_logits(alone, file);
  refuse_sigmoid(network, images, file);
  if (network.options().kind == LayerKind::kMcDropout) {
    bool changes = false;
    for (std::uint32_t pass = 1; pass <= 8 && !changes; ++pass) {
      const at::Tensor other = network.forward(images.narrow(0, 0, 1), pass_of(network, pass, 0));
      changes = !at::equal(other, alone.narrow(0, 0, 1));
    }
    if (!changes) throw DataError(file + " has dropout that changes no logit: is its rate 0 or 1?");
  }
  refuse_memory(network, images, alone.narrow(0, 0, 1), file);
  try {
    Features features;
    const at::Tensor together = network.forward(images, pass_of(network, 0, 0), &features);
    return together.sizes() == alone.sizes() &&
           largest(together - alone) <= kSame * (1e-6 + largest(alone));
  } catch (const DataError&) {
    return false;  // traced for a batch of one
  }
}

}  // namespace cubcal
