#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cubcal_nn/bayes/parameter_store.h"

/// Detectors of images unlike the training images (out of distribution, OOD). A detector is fitted
/// on features of in-distribution (ID) training images alone and gives every image a score; a
/// higher score = more OOD. None of them needs OOD data.
namespace cubcal {

/// What a detector sees of B images: the network's feature taps, its logits averaged over the
/// passes, and what the images look like. On the CPU or on a CUDA device, of any floating type;
/// arithmetic is double.
struct DetectorInput {
  std::vector<at::Tensor> taps;  ///< [B, D_l] each: the stages, then the penultimate layer
  at::Tensor logits = {};        ///< [B, K]; ViM looks at them
  at::Tensor appearance = {};    ///< [B, A], double, see appearance.h

  std::int64_t size() const { return taps.empty() ? 0 : taps.front().size(0); }
  DetectorInput narrow(std::int64_t first, std::int64_t count) const;
  /// The rows of an int64 index.
  DetectorInput rows(const at::Tensor& index) const;
  DetectorInput to(c10::Device device) const;

 private:
  template <typename Change>
  DetectorInput changed(const Change& change) const;
};

/// Settings of all detectors; each reads its own.
struct DetectorOptions {
  /// Share of the identity in a covariance, in [0, 1], see gaussian.h. Unset: none while the
  /// covariance is regular, else the one of OAS.
  std::optional<double> shrinkage = {};
  double explained_variance = 0.9;       ///< r of the PCA detectors, in (0, 1)
  double kernel_gamma = 1.0;             ///< of the Gaussian kernel behind the Fourier features
  std::int64_t fourier_per_feature = 4;  ///< Fourier features M = this times the dimension
  std::int64_t neighbours = 50;          ///< k of kNN
  std::int64_t bank = 10000;             ///< training samples that kNN keeps at most
  std::int64_t principal_dimension = 0;  ///< of ViM; 0: 1000 from D = 2048 on, 512 from 768, D / 2
  std::uint64_t seed = 0;                ///< of Fourier features and of the choice of the bank
};

/// Throws ArgumentError naming the first field outside its domain.
void check_detector_options(const DetectorOptions& options);

class Detector {
 public:
  Detector(std::string name, const DetectorOptions& options);
  virtual ~Detector() = default;
  Detector(const Detector&) = delete;
  Detector& operator=(const Detector&) = delete;

  const std::string& name() const { return name_; }
  const DetectorOptions& options() const { return options_; }
  bool fitted() const { return fitted_; }
  /// How often fitting has to see the whole training set.
  virtual int passes() const { return 1; }

  /// Takes in a batch of the training set: labels are int64 [B], from 0 on. The cut into batches
  /// changes nothing but rounding. Throws DataError for features that are not finite, change their
  /// shape between batches, or have no label.
  void observe(const DetectorInput& batch, const at::Tensor& labels);
  /// After every pass over the training set. Throws DataError where there was nothing to learn
  /// from.
  void finish_pass();

  /// double [B] on the features' device; gradients flow through where the caller records them.
  /// Throws DataError for features of another dimension than those of the fit, or not finite.
  at::Tensor score(const DetectorInput& batch) const;

  /// Everything fitted, and back again: restoring on another device moves it there.
  NamedTensors state() const;
  void restore(const NamedTensors& state, c10::Device device);

 protected:
  /// Dimensions of what is looked at, for the check of every later batch.
  virtual std::vector<std::int64_t> dimensions(const DetectorInput& batch) const = 0;
  virtual void take(const DetectorInput& batch, const at::Tensor& labels) = 0;
  virtual void end_pass(int pass) = 0;
  virtual at::Tensor scores(const DetectorInput& batch) const = 0;
  virtual NamedTensors fitted_tensors() const = 0;
  virtual void set_fitted_tensors(const NamedTensors& tensors) = 0;

 private:
  void check_batch(const DetectorInput& batch) const;

  std::string name_;
  DetectorOptions options_;
  std::vector<std::int64_t> dimensions_;
  int finished_passes_ = 0;
  bool fitted_ = false;
};

/// The penultimate layer: what the detectors of a single layer look at.
const at::Tensor& last_tap(const DetectorInput& batch);
/// Throws DataError where there is none.
const at::Tensor& appearance_rows(const DetectorInput& batch);

/// An entry of a detector's state. Throws DataError that names it where it is missing or of another
/// shape; an extent of -1 stands for any.
const at::Tensor& entry(const NamedTensors& tensors, const std::string& name,
                        const std::vector<std::int64_t>& shape);
double number_entry(const NamedTensors& tensors, const std::string& name);
at::Tensor number_tensor(double value);

/// Calls its argument with every batch of a training set and its labels, in the same order each
/// time.
using FeatureBatches = std::function<void(
    const std::function<void(const DetectorInput& batch, const at::Tensor& labels)>& visit)>;

/// Fits the detectors together: a pass over the set serves them all.
void fit_detectors(const std::vector<Detector*>& detectors, const FeatureBatches& batches);

/// Features that are in memory, `rows` at a time.
void fit_detector(Detector& detector, const DetectorInput& features, const at::Tensor& labels,
                  std::int64_t rows = 4096);
std::vector<double> score_all(const Detector& detector, const DetectorInput& features,
                              std::int64_t rows = 4096);

}  // namespace cubcal
