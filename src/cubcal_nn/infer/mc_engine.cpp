#include "cubcal_nn/infer/mc_engine.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "cubcal/core/check.h"
#include "cubcal_nn/batches/levels.h"
#include "cubcal_nn/kernels/compute_scope.h"

namespace cubcal {

namespace {

/// Cuts a split into batches and readies them for the network. The last one made is kept, so that
/// a split of one batch is preprocessed once however many passes there are.
class Batches {
 public:
  Batches(const at::Tensor& images, const Preprocessing& preprocessing, std::int64_t batch,
          c10::Device device)
      : images_(images), preprocessing_(preprocessing), batch_(batch), device_(device) {}

  std::int64_t count() const { return (images_.size(0) + batch_ - 1) / batch_; }
  std::int64_t first(std::int64_t index) const { return index * batch_; }

  const at::Tensor& operator[](std::int64_t index) {
    if (index != current_) {
      const std::int64_t rows = std::min(batch_, images_.size(0) - first(index));
      ready_ = preprocess(images_.narrow(0, first(index), rows).to(device_), preprocessing_);
      current_ = index;
    }
    return ready_;
  }

 private:
  const at::Tensor& images_;
  const Preprocessing& preprocessing_;
  std::int64_t batch_;
  c10::Device device_;
  std::int64_t current_ = -1;
  at::Tensor ready_;
};

/// Sums the feature taps of all passes in double: the mean of equal passes is then exactly one of
/// them.
class FeatureSums {
 public:
  FeatureSums(std::int64_t samples, std::size_t taps) : samples_(samples), sums_(taps) {}

  /// Adds weight * taps[i] to the rows from `first` on of tap first_tap + i.
  void add(const Features& features, std::size_t first_tap, std::int64_t first, double weight) {
    for (std::size_t i = 0; i < features.taps.size(); ++i) {
      const at::Tensor values = features.taps[i].to(at::kCPU, at::kDouble);
      at::Tensor& sum = sums_[first_tap + i];
      if (!sum.defined()) sum = at::zeros({samples_, values.size(1)}, at::kDouble);
      sum.narrow(0, first, values.size(0)).add_(values, weight);
    }
  }

  std::vector<NdArray> means(std::size_t passes) const {
    std::vector<NdArray> result;
    for (const at::Tensor& sum : sums_) {
      const at::Tensor mean = (sum / static_cast<double>(passes)).to(at::kFloat).contiguous();
      NdArray array(DType::kF32, {static_cast<std::size_t>(mean.size(0)),
                                  static_cast<std::size_t>(mean.size(1))});
      std::memcpy(array.bytes(), mean.data_ptr(), array.byte_size());
      result.push_back(std::move(array));
    }
    return result;
  }

 private:
  std::int64_t samples_;
  std::vector<at::Tensor> sums_;
};

void check_options(const McOptions& options, std::int64_t images) {
  check_in_closed("the number of passes", static_cast<double>(options.passes), 1,
                  std::numeric_limits<std::uint32_t>::max());
  check_in_closed("the first pass", static_cast<double>(options.first_pass), 0,
                  static_cast<double>(std::numeric_limits<std::uint32_t>::max() - options.passes));
  check_at_least("the batch size", static_cast<double>(options.batch), 1);
  if (!options.samples.empty()) {
    check_same_size("the list of sample indices", options.samples.size(), "the list of images",
                    static_cast<std::size_t>(images));
  }
}

void check_images(const at::Tensor& images) {
  if (!holds_levels(images) || images.dim() != 4) {
    throw DataError("images to predict must be uint8 or 16-bit of shape [N, C, H, W]");
  }
  if (images.size(0) == 0) throw DataError("there is no image to predict");
}

bool is_single_pass(const Network& network, const McOptions& options) {
  return options.mean_weights || network.options().kind == LayerKind::kDeterministic;
}

void stop_if_interrupted(const McOptions& options) {
  if (options.interrupted && options.interrupted()) {
    throw Interrupted("prediction was interrupted");
  }
}

/// One run of the engine: where results go, and how far it is.
class Run {
 public:
  Run(Network& network, WeightPasses& passes, const Preprocessing& preprocessing,
      const at::Tensor& images, const McOptions& options)
      : network_(network),
        passes_(passes),
        options_(options),
        batches_(images, preprocessing, options.batch, network.options().device),
        samples_(images.size(0)),
        pass_count_(drawn_passes(network, options)),
        features_(samples_, options.features ? network.feature_names().size() : 0) {
    output_.logits = NdArray(DType::kF32, {pass_count_, static_cast<std::size_t>(samples_),
                                           static_cast<std::size_t>(network.options().classes)});
  }

  McOutput operator()() {
    if (network_.trunk_is_deterministic() && !single_pass()) {
      run_heads();
    } else {
      run_passes();
    }
    if (options_.features) {
      output_.features = features_.means(pass_count_);
      output_.feature_names = network_.feature_names();
    }
    return std::move(output_);
  }

 private:
  bool single_pass() const { return is_single_pass(network_, options_); }

  ForwardContext context(std::size_t pass) {
    if (single_pass()) return mean_context();
    passes_.draw_slot(0,
                      {options_.seed, 0, static_cast<std::uint32_t>(options_.first_pass + pass)});
    ForwardContext context = network_.context(passes_, 0);
    return context;
  }

  ForwardContext mean_context() const {
    ForwardContext context = network_.mean_context();
    return context;
  }

  /// Gaussian weights: each pass draws once and then sees all images.
  void run_passes() {
    for (std::size_t s = 0; s < pass_count_; ++s) {
      ForwardContext pass = context(s);
      for (std::int64_t b = 0; b < batches_.count(); ++b) {
        begin_step();
        set_samples(pass, b);
        Features taps;
        keep(network_.forward(batches_[b], pass, wanted(taps)), s, batches_.first(b));
        features_.add(taps, 0, batches_.first(b), 1);
        end_step();
      }
    }
  }

  /// MC dropout: each batch runs the trunk once and then the head of every pass.
  void run_heads() {
    for (std::int64_t b = 0; b < batches_.count(); ++b) {
      Features stages;
      const std::int64_t first = batches_.first(b);
      const at::Tensor trunk = network_.trunk(batches_[b], mean_context(), wanted(stages));
      features_.add(stages, 0, first, static_cast<double>(pass_count_));
      for (std::size_t s = 0; s < pass_count_; ++s) {
        begin_step();
        ForwardContext pass = context(s);
        set_samples(pass, b);
        Features taps;
        keep(network_.head(trunk, pass, wanted(taps)), s, first);
        features_.add(taps, stages.taps.size(), first, 1);
        end_step();
      }
    }
  }

  void set_samples(ForwardContext& pass, std::int64_t batch) {
    pass.first_sample = batches_.first(batch);
    if (options_.samples.empty()) return;
    const auto begin = options_.samples.begin() + pass.first_sample;
    pass.samples.assign(begin, begin + batches_[batch].size(0));
  }

  Features* wanted(Features& features) const { return options_.features ? &features : nullptr; }

  void keep(const at::Tensor& logits, std::size_t pass, std::int64_t first) {
    const at::Tensor values = logits.to(at::kCPU, at::kFloat).contiguous();
    const std::int64_t row = static_cast<std::int64_t>(pass) * samples_ + first;
    std::memcpy(output_.logits.as<float>() + row * values.size(1), values.data_ptr(),
                values.nbytes());
  }

  void begin_step() const { stop_if_interrupted(options_); }

  void end_step() {
    ++done_;
    if (!options_.progress) return;
    options_.progress(done_, pass_count_ * static_cast<std::size_t>(batches_.count()));
  }

  Network& network_;
  WeightPasses& passes_;
  const McOptions& options_;
  Batches batches_;
  std::int64_t samples_;
  std::size_t pass_count_;
  FeatureSums features_;
  McOutput output_;
  std::size_t done_ = 0;
};

}  // namespace

std::size_t drawn_passes(const Network& network, const McOptions& options) {
  if (is_single_pass(network, options)) return 1;
  if (network.members() == 0) return options.passes;
  if (options.first_pass >= network.members()) {
    throw ArgumentError("an ensemble of " + std::to_string(network.members()) +
                        " has as many passes, and pass " + std::to_string(options.first_pass) +
                        " is none of them");
  }
  return std::min(options.passes, network.members() - options.first_pass);
}

McEngine::McEngine(Network& network, const Preprocessing& preprocessing)
    : network_(network), preprocessing_(preprocessing) {
  check_preprocessing(preprocessing);
  const NetworkOptions& o = network.options();
  if (preprocessing.channels() != o.channels || preprocessing.height != o.height ||
      preprocessing.width != o.width) {
    throw DataError("the preprocessing makes images of other channels, height or width than " +
                    network.name() + " was built for");
  }
}

bool McEngine::goes_fused(const McOptions& options) const {
  const NetworkOptions& o = network_.options();
  return options.compute.fused && o.kind == LayerKind::kVariational && !options.mean_weights &&
         !options.features && o.device.is_cuda() && has_fused_kernels(o.device) &&
         o.dtype == at::kFloat;
}

McOutput McEngine::run_fused(const at::Tensor& images, const McOptions& options) {
  if (!fused_ || fused_precision_ != options.compute.precision) {
    fused_ = std::make_unique<FusedPrediction>(network_, options.compute.precision);
    fused_precision_ = options.compute.precision;
  }
  const FusedPrediction::Passes passes{options.seed, options.first_pass, options.passes};
  const auto rows = [&](std::int64_t first, std::int64_t count) {
    return preprocess(images.narrow(0, first, count).to(network_.options().device), preprocessing_);
  };
  const auto step = [&](std::size_t done, std::size_t of) {
    stop_if_interrupted(options);
    if (options.progress) options.progress(done, of);
  };
  const std::int64_t count = images.size(0);
  at::Tensor logits;
  if (count <= FusedPrediction::kFewImages) {
    logits = fused_->at_once(rows(0, count), passes, options.keep_draws);
    step(options.passes, options.passes);
  } else {
    logits = fused_->by_pass(rows, count, options.batch, passes, step);
  }
  logits = logits.to(at::kCPU).contiguous();
  McOutput output;
  output.logits = NdArray(DType::kF32, {options.passes, static_cast<std::size_t>(count),
                                        static_cast<std::size_t>(logits.size(2))});
  std::memcpy(output.logits.bytes(), logits.data_ptr(), output.logits.byte_size());
  return output;
}

McOutput McEngine::run(const at::Tensor& images, const McOptions& options) {
  check_images(images);
  check_options(options, images.size(0));
  const c10::NoGradGuard no_grad;
  if (fused_ && !options.keep_draws) fused_->forget_draws();
  if (goes_fused(options)) return run_fused(images, options);
  const ComputeScope computing(
      compute_settings(options.compute.precision, network_.options().device));
  if (!passes_) {
    passes_ =
        std::make_unique<WeightPasses>(network_.parameters(), 1, WeightPasses::Use::kPrediction);
  }
  passes_->refresh_sigma();
  return Run(network_, *passes_, preprocessing_, images, options)();
}

}  // namespace cubcal
