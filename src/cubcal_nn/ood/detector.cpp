#include "cubcal_nn/ood/detector.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <algorithm>

#include "cubcal/core/check.h"

namespace cubcal {

namespace {

constexpr const char* kDimensions = "dimensions";

std::string dimensions_text(const std::vector<std::int64_t>& dimensions) {
  std::string text;
  for (const std::int64_t each : dimensions) {
    text += (text.empty() ? "" : ", ") + std::to_string(each);
  }
  return "[" + text + "]";
}

void check_finite_rows(const at::Tensor& values, const char* what) {
  if (values.isfinite().all().item<bool>()) return;
  throw DataError(std::string("a detector needs finite ") + what +
                  ", and there is a NaN or an infinity among them");
}

void check_labels(const at::Tensor& labels, std::int64_t samples) {
  if (!labels.defined() || labels.dim() != 1 || labels.scalar_type() != at::kLong ||
      labels.size(0) != samples) {
    throw DataError("a detector is fitted with one whole-number label for each of its " +
                    std::to_string(samples) + " samples");
  }
  if (samples > 0 && labels.min().item<std::int64_t>() < 0) {
    throw DataError("a detector is fitted on samples of known classes, not on label " +
                    std::to_string(labels.min().item<std::int64_t>()));
  }
}

}  // namespace

template <typename Change>
DetectorInput DetectorInput::changed(const Change& change) const {
  DetectorInput result;
  for (const at::Tensor& tap : taps) result.taps.push_back(change(tap));
  if (logits.defined()) result.logits = change(logits);
  if (appearance.defined()) result.appearance = change(appearance);
  return result;
}

DetectorInput DetectorInput::narrow(std::int64_t first, std::int64_t count) const {
  return changed([&](const at::Tensor& all) { return all.narrow(0, first, count); });
}

DetectorInput DetectorInput::rows(const at::Tensor& index) const {
  return changed([&](const at::Tensor& all) { return all.index_select(0, index); });
}

DetectorInput DetectorInput::to(c10::Device device) const {
  return changed([&](const at::Tensor& all) { return all.to(device); });
}

void check_detector_options(const DetectorOptions& options) {
  if (options.shrinkage) check_in_closed("the shrinkage", *options.shrinkage, 0, 1);
  check_in_open("the explained variance", options.explained_variance, 0, 1);
  check_positive("the kernel's gamma", options.kernel_gamma);
  check_finite("the kernel's gamma", options.kernel_gamma);
  check_in_closed("the number of Fourier features per feature",
                  static_cast<double>(options.fourier_per_feature), 1, 64);
  check_at_least("the number of neighbours", static_cast<double>(options.neighbours), 1);
  check_at_least("the number of samples kNN keeps", static_cast<double>(options.bank), 1);
  check_at_least("the principal dimension", static_cast<double>(options.principal_dimension), 0);
}

Detector::Detector(std::string name, const DetectorOptions& options)
    : name_(std::move(name)), options_(options) {
  check_detector_options(options);
}

void Detector::check_batch(const DetectorInput& batch) const {
  if (batch.taps.empty()) throw DataError("the detector '" + name_ + "' was given no features");
  for (const at::Tensor& tap : batch.taps) {
    if (tap.dim() != 2 || tap.size(0) != batch.size() || !tap.is_floating_point()) {
      throw DataError("features must be floating-point numbers of shape [samples, dimension]");
    }
    check_finite_rows(tap, "features");
  }
  if (batch.logits.defined()) {
    if (batch.logits.dim() != 2 || batch.logits.size(0) != batch.size()) {
      throw DataError("the logits beside features must be of shape [samples, classes]");
    }
    check_finite_rows(batch.logits, "logits");
  }
  if (batch.appearance.defined() &&
      (batch.appearance.dim() != 2 || batch.appearance.size(0) != batch.size())) {
    throw DataError("the appearance beside features must be of shape [samples, numbers]");
  }
  if (dimensions_.empty()) return;
  const std::vector<std::int64_t> found = dimensions(batch);
  if (found != dimensions_) {
    throw DataError("the detector '" + name_ + "' was fitted on features of dimension " +
                    dimensions_text(dimensions_) + ", not " + dimensions_text(found));
  }
}

void Detector::observe(const DetectorInput& batch, const at::Tensor& labels) {
  if (fitted_) throw ArgumentError("the detector '" + name_ + "' is fitted already");
  const c10::NoGradGuard no_grad;
  check_batch(batch);
  check_labels(labels, batch.size());
  if (batch.size() == 0) return;
  if (dimensions_.empty()) dimensions_ = dimensions(batch);
  take(batch, labels.to(batch.taps.front().device()));
}

void Detector::finish_pass() {
  if (fitted_) throw ArgumentError("the detector '" + name_ + "' is fitted already");
  if (dimensions_.empty()) {
    throw DataError("the detector '" + name_ + "' cannot be fitted without a sample");
  }
  const c10::NoGradGuard no_grad;
  end_pass(finished_passes_++);
  fitted_ = finished_passes_ == passes();
}

at::Tensor Detector::score(const DetectorInput& batch) const {
  if (!fitted_) throw ArgumentError("the detector '" + name_ + "' must be fitted before it scores");
  check_batch(batch);
  return scores(batch);
}

NamedTensors Detector::state() const {
  if (!fitted_)
    throw ArgumentError("the detector '" + name_ + "' must be fitted before it is saved");
  NamedTensors tensors = fitted_tensors();
  std::vector<double> dimensions(dimensions_.begin(), dimensions_.end());
  tensors.emplace_back(kDimensions, at::tensor(dimensions, at::kDouble));
  return tensors;
}

void Detector::restore(const NamedTensors& state, c10::Device device) {
  const at::Tensor dimensions = entry(state, kDimensions, {-1}).cpu().to(at::kLong).contiguous();
  const auto* first = dimensions.data_ptr<std::int64_t>();
  NamedTensors moved;
  for (const auto& [name, tensor] : state) moved.emplace_back(name, tensor.to(device));
  set_fitted_tensors(moved);
  dimensions_.assign(first, first + dimensions.numel());
  fitted_ = true;
}

const at::Tensor& last_tap(const DetectorInput& batch) { return batch.taps.back(); }

const at::Tensor& appearance_rows(const DetectorInput& batch) {
  if (!batch.appearance.defined()) {
    throw DataError("this detector looks at the images, too, and was given features alone");
  }
  return batch.appearance;
}

const at::Tensor& entry(const NamedTensors& tensors, const std::string& name,
                        const std::vector<std::int64_t>& shape) {
  for (const auto& [key, tensor] : tensors) {
    if (key != name) continue;
    bool fits = tensor.dim() == static_cast<std::int64_t>(shape.size());
    for (std::size_t i = 0; fits && i < shape.size(); ++i) {
      const std::int64_t extent = tensor.size(static_cast<std::int64_t>(i));
      fits = extent > 0 && (shape[i] == -1 || extent == shape[i]);
    }
    if (!fits)
      throw DataError("the detector's tensor '" + name + "' has another shape than its fit");
    return tensor;
  }
  throw DataError("the detector's state lacks the tensor '" + name + "'");
}

double number_entry(const NamedTensors& tensors, const std::string& name) {
  return entry(tensors, name, {1}).item<double>();
}

at::Tensor number_tensor(double value) { return at::full({1}, value, at::kDouble); }

void fit_detectors(const std::vector<Detector*>& detectors, const FeatureBatches& batches) {
  int passes = 0;
  for (const Detector* each : detectors) passes = std::max(passes, each->passes());
  for (int pass = 0; pass < passes; ++pass) {
    batches([&](const DetectorInput& batch, const at::Tensor& labels) {
      for (Detector* each : detectors) {
        if (!each->fitted()) each->observe(batch, labels);
      }
    });
    for (Detector* each : detectors) {
      if (!each->fitted()) each->finish_pass();
    }
  }
}

void fit_detector(Detector& detector, const DetectorInput& features, const at::Tensor& labels,
                  std::int64_t rows) {
  check_at_least("the number of rows at a time", static_cast<double>(rows), 1);
  check_labels(labels, features.size());
  fit_detectors({&detector}, [&](const auto& visit) {
    for (std::int64_t first = 0; first < features.size(); first += rows) {
      const std::int64_t count = std::min(rows, features.size() - first);
      visit(features.narrow(first, count), labels.narrow(0, first, count));
    }
  });
}

std::vector<double> score_all(const Detector& detector, const DetectorInput& features,
                              std::int64_t rows) {
  check_at_least("the number of rows at a time", static_cast<double>(rows), 1);
  const c10::NoGradGuard no_grad;
  std::vector<double> result;
  for (std::int64_t first = 0; first < features.size(); first += rows) {
    const std::int64_t count = std::min(rows, features.size() - first);
    const at::Tensor part = detector.score(features.narrow(first, count)).cpu().contiguous();
    const auto* values = part.data_ptr<double>();
    result.insert(result.end(), values, values + part.numel());
  }
  return result;
}

}  // namespace cubcal
