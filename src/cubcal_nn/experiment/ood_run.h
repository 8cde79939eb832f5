#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cubcal/calibration/calibration.h"
#include "cubcal/uncertainty/predictive.h"
#include "cubcal_nn/batches/image_set.h"
#include "cubcal_nn/experiment/work_observer.h"
#include "cubcal_nn/infer/mc_engine.h"
#include "cubcal_nn/infer/model_folder.h"
#include "cubcal_nn/kernels/compute_scope.h"
#include "cubcal_nn/ood/network_features.h"
#include "cubcal_nn/ood/registry.h"

namespace cubcal {

/// A row of the OOD table: one way to score images.
struct OodRow {
  std::string key;    ///< as --detectors names it
  std::string title;  ///< as the table names it
};

/// All rows in the order of the paper's table, and then those beyond it.
const std::vector<OodRow>& ood_rows();
/// "all", or names that commas separate. Throws ArgumentError that lists the known ones.
std::vector<OodRow> chosen_rows(const std::string& names);

struct OodRunOptions {
  McOptions mc;
  FeatureSource features = FeatureSource::kMeanWeights;
  DetectorOptions detector;
  c10::Device device = c10::Device(c10::DeviceType::CPU);
};

/// A model and a data set, and what the one says of the other's splits: each drawn when it is first
/// asked for and kept.
class OodRun {
 public:
  /// Model, set and observer must outlive it.
  OodRun(LoadedModel& model, const ImageSet& set, const OodRunOptions& options,
         WorkObserver& observer);

  /// Takes logits of a split that were drawn before with the same options.
  void use_logits(const std::string& split, NdArray logits);

  const Predictive& plain(const std::string& split);
  /// Under the model's own dual temperatures, else under DTS fitted on `val`.
  const Predictive& with_dts(const std::string& split);
  const Calibration& dts();
  /// The prediction as `cubcal predict` gives it: with the model's calibration where it has one.
  const Predictive& as_predicted(const std::string& split);

  /// Fits what the rows need on a split of training images.
  void fit(const std::vector<OodRow>& rows, const std::string& split);
  std::vector<double> scores(const OodRow& row, const std::string& split);

  /// What the model as it is predicts of images that are in no split, and how a fitted detector
  /// scores them.
  struct Shown {
    std::vector<double> scores;
    Predictive predictive;
  };
  Shown show(const std::string& detector, const at::Tensor& images, const std::string& what);

  const Detector& detector(const std::string& name) const;
  /// Hands a fitted detector over.
  std::unique_ptr<Detector> release(const std::string& name);
  /// Of the perturbation; nothing unless that row was fitted.
  std::optional<double> epsilon() const { return epsilon_; }

 private:
  struct Drawn {
    NdArray logits;
    DetectorInput features;  ///< as the options have it
    Predictive plain;
    std::optional<Predictive> dts;
    std::optional<Predictive> predicted;
  };

  Drawn& drawn(const std::string& split);
  DetectorInput features(const std::string& split, FeatureSource source);
  McOutput run(const std::string& split, const McOptions& mc, const std::string& what);
  void fit_all(const std::vector<Detector*>& detectors, const DetectorInput& features,
               const at::Tensor& labels) const;
  /// The network outside the engine computes as it does inside.
  ComputeSettings compute() const;
  std::vector<double> detector_scores(const Detector& detector, const DetectorInput& input) const;

  LoadedModel& model_;
  const ImageSet& set_;
  OodRunOptions options_;
  WorkObserver& observer_;
  McEngine engine_;
  std::map<std::string, Drawn> drawn_;
  std::map<std::string, DetectorInput> mean_features_;
  std::optional<Calibration> dts_;
  std::map<std::string, std::unique_ptr<Detector>> detectors_;
  std::unique_ptr<Detector> perturbed_base_;  ///< where features are not those of mean weights
  std::optional<double> epsilon_;
};

}  // namespace cubcal
