#include "cubcal_nn/infer/fused_prediction.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <vector>

namespace cubcal {

namespace {

/// Runs of a batch before a graph is made of it.
constexpr int kEagerRuns = 2;
/// Ready images are kept between passes up to this much memory, and draws held at once.
constexpr std::int64_t kKeptBytes = std::int64_t{16} << 30;

bool same(const FusedPrediction::Passes& a, const FusedPrediction::Passes& b) {
  return a.seed == b.seed && a.first == b.first && a.count == b.count;
}

NoiseKey key_of(const FusedPrediction::Passes& passes, std::size_t pass) {
  return {passes.seed, 0, static_cast<std::uint32_t>(passes.first + pass)};
}

}  // namespace

FusedPrediction::FusedPrediction(Network& network, Precision precision)
    : network_(network),
      compute_(compute_settings(precision, network.options().device)),
      dtype_(activation_type(*compute_.precision)) {
  compute_.search_algorithms = true;
}

at::Tensor FusedPrediction::typed(const at::Tensor& images) const {
  return images.to(images.options().dtype(dtype_), false, false, at::MemoryFormat::ChannelsLast);
}

void FusedPrediction::run_frame() {
  const auto work = [this] {
    const c10::NoGradGuard no_grad;
    frame_.logits.copy_(network_.forward(frame_.images, one_->context(0)));
  };
  if (frame_.graph->captured()) {
    frame_.graph->replay();
  } else if (frame_.eager_runs++ < kEagerRuns) {
    frame_.graph->run(work);
  } else {
    frame_.graph->capture(work);
    frame_.graph->replay();
  }
}

at::Tensor FusedPrediction::by_pass(const Rows& rows, std::int64_t images, std::int64_t batch,
                                    const Passes& passes, const Step& step) {
  const c10::NoGradGuard no_grad;
  const ComputeScope computing(compute_);
  const NetworkOptions& o = network_.options();
  if (!one_) {
    one_ = std::make_unique<FusedWeights>(network_.parameters(),
                                          FusedWeights::Options{1, dtype_, true, 0});
  }
  one_->refresh_norms();
  one_->refresh_sigma();
  batch = std::min(batch, images);
  if (!frame_.images.defined() || frame_.images.size(0) != batch) {
    frame_ = {};
    const auto on_device = at::TensorOptions().device(o.device);
    frame_.images = at::zeros({batch, o.channels, o.height, o.width}, on_device.dtype(dtype_))
                        .contiguous(at::MemoryFormat::ChannelsLast);
    frame_.logits = at::empty({batch, o.classes}, on_device.dtype(at::kFloat));
    frame_.graph = std::make_unique<DeviceGraph>(o.device);
  }
  const std::int64_t batches = (images + batch - 1) / batch;
  const bool keep = batches * static_cast<std::int64_t>(frame_.images.nbytes()) <= kKeptBytes;
  std::vector<at::Tensor> ready(static_cast<std::size_t>(batches));
  const at::Tensor logits = at::empty({static_cast<std::int64_t>(passes.count), images, o.classes},
                                      frame_.logits.options());
  std::size_t done = 0;
  for (std::size_t s = 0; s < passes.count; ++s) {
    one_->set_key(key_of(passes, s));
    one_->draw();
    for (std::int64_t b = 0; b < batches; ++b) {
      const std::int64_t first = b * batch;
      const std::int64_t count = std::min(batch, images - first);
      at::Tensor& kept = ready[static_cast<std::size_t>(b)];
      const at::Tensor now = kept.defined() ? kept : typed(rows(first, count));
      if (keep) kept = now;
      // Rows beyond a last, smaller batch are left over from the one before and not looked at.
      frame_.images.narrow(0, 0, count).copy_(now);
      run_frame();
      logits[static_cast<std::int64_t>(s)]
          .narrow(0, first, count)
          .copy_(frame_.logits.narrow(0, 0, count));
      step(++done, passes.count * static_cast<std::size_t>(batches));
    }
  }
  return logits;
}

at::Tensor FusedPrediction::at_once(const at::Tensor& images, const Passes& passes,
                                    bool keep_draws) {
  const c10::NoGradGuard no_grad;
  const ComputeScope computing(compute_);
  const at::Tensor ready = typed(images);
  const std::int64_t bytes_per_draw = network_.parameters().variational_size() *
                                      static_cast<std::int64_t>(c10::elementSize(dtype_));
  const auto slots = static_cast<std::size_t>(
      std::clamp<std::int64_t>(kKeptBytes / std::max<std::int64_t>(1, bytes_per_draw), 1,
                               static_cast<std::int64_t>(passes.count)));
  if (!all_ || all_->slots() != slots) {
    all_ = nullptr;
    all_ = std::make_unique<FusedWeights>(network_.parameters(),
                                          FusedWeights::Options{slots, dtype_, true, 0});
    drawn_.reset();
  }
  const bool fits = slots == passes.count;
  std::vector<at::Tensor> parts;
  if (!(keep_draws && fits && drawn_ && same(*drawn_, passes))) {
    all_->refresh_norms();
    all_->refresh_sigma();
    drawn_.reset();
  }
  for (std::size_t s = 0; s < passes.count; s += slots) {
    if (!drawn_) {
      all_->set_key(key_of(passes, s));
      all_->draw();
    }
    const at::Tensor logits = network_.forward(ready, all_->context_of_all(images.size(0)));
    const auto count = static_cast<std::int64_t>(std::min(slots, passes.count - s));
    parts.push_back(logits.to(at::kFloat)
                        .view({static_cast<std::int64_t>(slots), images.size(0), -1})
                        .narrow(0, 0, count));
  }
  if (fits) drawn_ = passes;
  return at::cat(parts);
}

}  // namespace cubcal
