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
/// Numbers of draws that take turns, as where an image's passes stop early.
constexpr std::size_t kNumbersOfDraws = 2;

/// Kept draws go through the network in parts, side by side: where the end of a layer leaves a GPU
/// idle, another part's layer goes on. With the drawing before it that is slower.
constexpr std::size_t kDrawsOfAPart = 20;
constexpr std::size_t kMostParts = 4;

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

void FusedPrediction::make_frame(Frame& frame, std::int64_t images, std::int64_t draws) const {
  if (frame.images.defined() && frame.images.size(0) == images && frame.logits.size(0) == draws) {
    return;
  }
  const NetworkOptions& o = network_.options();
  const auto on_device = at::TensorOptions().device(o.device);
  frame.eager_runs = 0;
  frame.images = at::zeros({images, o.channels, o.height, o.width}, on_device.dtype(dtype_))
                     .contiguous(at::MemoryFormat::ChannelsLast);
  frame.logits = at::empty({draws, images, o.classes}, on_device.dtype(at::kFloat));
  // Its stream stays: memory that LibTorch has cached belongs to one.
  if (frame.graph) return frame.graph->forget();
  frame.graph = std::make_unique<DeviceGraph>(o.device);
}

void FusedPrediction::run_in(Frame& frame, const std::function<void()>& work) const {
  const auto without_gradient = [work] {
    const c10::NoGradGuard no_grad;
    work();
  };
  if (frame.graph->captured()) {
    frame.graph->replay();
  } else if (frame.eager_runs < kEagerRuns) {
    frame.graph->run(without_gradient);
    ++frame.eager_runs;
  } else {
    frame.graph->capture(without_gradient);
    frame.graph->replay();
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
  make_frame(frame_, batch, 1);
  const std::int64_t batches = (images + batch - 1) / batch;
  const bool keep = batches * static_cast<std::int64_t>(frame_.images.nbytes()) <= kKeptBytes;
  std::vector<at::Tensor> ready(static_cast<std::size_t>(batches));
  at::Tensor logits = at::empty({static_cast<std::int64_t>(passes.count), images, o.classes},
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
      run_in(frame_,
             [this] { frame_.logits[0].copy_(network_.forward(frame_.images, one_->context(0))); });
      logits[static_cast<std::int64_t>(s)]
          .narrow(0, first, count)
          .copy_(frame_.logits[0].narrow(0, 0, count));
      step(++done, passes.count * static_cast<std::size_t>(batches));
    }
  }
  return logits;
}

FusedPrediction::Draws& FusedPrediction::draws_of(std::size_t slots, std::int64_t bytes_per_draw) {
  const auto there = std::find_if(draws_.begin(), draws_.end(), [&](const Draws& each) {
    return each.weights->slots() == slots;
  });
  if (there != draws_.end()) {
    draws_.splice(draws_.begin(), draws_, there);
    return draws_.front();
  }
  const auto held = [&] {
    std::size_t sum = slots;
    for (const Draws& each : draws_) sum += each.weights->slots();
    return static_cast<std::int64_t>(sum) * bytes_per_draw;
  };
  while (!draws_.empty() && (draws_.size() >= kNumbersOfDraws || held() > kKeptBytes)) {
    draws_.pop_back();
  }
  Draws draws;
  draws.weights = std::make_unique<FusedWeights>(network_.parameters(),
                                                 FusedWeights::Options{slots, dtype_, true, 0});
  draws.whole = draws.weights->part(0, slots);
  const std::size_t parts = std::clamp<std::size_t>(slots / kDrawsOfAPart, 1, kMostParts);
  for (std::size_t i = 0; i < parts; ++i) {
    const std::size_t first = i * slots / parts;
    draws.parts.push_back(draws.weights->part(first, (i + 1) * slots / parts - first));
  }
  draws.branches = std::make_unique<DeviceBranches>(network_.options().device, parts);
  draws_.push_front(std::move(draws));
  return draws_.front();
}

void FusedPrediction::forget_draws() {
  for (Draws& each : draws_) each.passes.reset();
}

void FusedPrediction::run_part(const Draws& draws, const Frame& frame,
                               const FusedWeights::Part& part) {
  const std::int64_t images = frame.images.size(0);
  const auto count = static_cast<std::int64_t>(part.count);
  const at::Tensor logits = network_.forward(frame.images, draws.weights->context(part, images));
  frame.logits.narrow(0, static_cast<std::int64_t>(part.first), count)
      .copy_(logits.view({count, images, -1}));
}

at::Tensor FusedPrediction::at_once(const at::Tensor& images, const Passes& passes,
                                    bool keep_draws) {
  const c10::NoGradGuard no_grad;
  const ComputeScope computing(compute_);
  if (!keep_draws) forget_draws();
  const std::int64_t bytes_per_draw = network_.parameters().variational_size() *
                                      static_cast<std::int64_t>(c10::elementSize(dtype_));
  const auto slots = static_cast<std::size_t>(
      std::clamp<std::int64_t>(kKeptBytes / std::max<std::int64_t>(1, bytes_per_draw), 1,
                               static_cast<std::int64_t>(passes.count)));
  Draws& draws = draws_of(slots, bytes_per_draw);
  const bool kept = draws.passes && same(*draws.passes, passes);
  draws.passes.reset();
  if (!kept) {
    draws.weights->refresh_norms();
    draws.weights->refresh_sigma();
  }
  Frame& frame = kept ? draws.kept : draws.drawing;
  make_frame(frame, images.size(0), static_cast<std::int64_t>(slots));
  frame.images.copy_(typed(images));
  const auto work = [this, kept, here = &draws] {
    if (kept) {
      return here->branches->run(
          [&](std::size_t i) { run_part(*here, here->kept, here->parts[i]); });
    }
    here->weights->draw();
    run_part(*here, here->drawing, here->whole);
  };
  std::vector<at::Tensor> rounds;
  for (std::size_t s = 0; s < passes.count; s += slots) {
    if (!kept) draws.weights->set_key(key_of(passes, s));
    run_in(frame, work);
    const auto count = static_cast<std::int64_t>(std::min(slots, passes.count - s));
    rounds.push_back(frame.logits.narrow(0, 0, count).clone());
  }
  if (slots == passes.count) draws.passes = passes;
  return at::cat(rounds);
}

}  // namespace cubcal
