#include "cubcal_nn/experiment/ood_run.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <sstream>

#include "cubcal/calibration/fit.h"
#include "cubcal/core/error.h"
#include "cubcal/uncertainty/output_scores.h"
#include "cubcal_nn/batches/tensor_values.h"
#include "cubcal_nn/ood/perturbation.h"

namespace cubcal {

namespace {

const std::string kPerturbation = "perturbation";
const std::string kPerturbedBase = "relative-mahalanobis-multi";
const std::string kDts = "dts-";

bool is_output_score(const std::string& key) {
  const auto& entries = output_score_entries();
  return std::any_of(entries.begin(), entries.end(),
                     [&](const OutputScore& each) { return key == each.name; });
}

/// The labels of a split to learn from.
at::Tensor known_labels(const ImageSplit& split, std::size_t classes) {
  if (split.outliers) {
    throw ArgumentError("the split '" + split.name +
                        "' holds outliers: detectors and thresholds are fitted on ID images");
  }
  for (const std::int64_t label : values_of(split.labels)) {
    if (label >= 0 && label < static_cast<std::int64_t>(classes)) continue;
    throw DataError("label " + std::to_string(label) + " in split '" + split.name +
                    "' is not a class of the model, which has " + std::to_string(classes));
  }
  return split.labels;
}

/// The paper's rows, then every other score and detector there is.
std::vector<OodRow> with_the_rest(std::vector<OodRow> rows) {
  const auto add = [&rows](const std::string& key, const char* title) {
    const bool is_there =
        std::any_of(rows.begin(), rows.end(), [&key](const OodRow& row) { return row.key == key; });
    if (!is_there) rows.push_back({key, title});
  };
  for (const OutputScore& each : output_score_entries()) add(each.name, each.title);
  for (const DetectorEntry& each : detector_entries()) add(each.name, each.title);
  return rows;
}

}  // namespace

const std::vector<OodRow>& ood_rows() {
  static const std::vector<OodRow> rows = with_the_rest({
      {"confidence", "Confidence"},
      {"uncertainty", "Uncertainty"},
      {"dts-confidence", "DTS confidence"},
      {"dts-uncertainty", "DTS uncertainty"},
      {"mahalanobis", "Mahalanobis"},
      {"relative-mahalanobis", "Relative Mahalanobis (single-layer)"},
      {"relative-mahalanobis-multi", "Relative Mahalanobis (multi-layer)"},
      {kPerturbation, "Relative Mahalanobis + perturbation"},
      {"cosine+pca", "Cosine + PCA"},
      {"cosine+rff+pca", "Cosine + RFF + PCA"},
  });
  return rows;
}

std::vector<OodRow> chosen_rows(const std::string& names) {
  if (names == "all") return ood_rows();
  std::vector<OodRow> chosen;
  std::istringstream list(names);
  std::string name;
  while (std::getline(list, name, ',')) {
    const auto found = std::find_if(ood_rows().begin(), ood_rows().end(),
                                    [&](const OodRow& row) { return row.key == name; });
    if (found == ood_rows().end()) {
      std::string known;
      for (const OodRow& row : ood_rows()) known += ", " + row.key;
      throw ArgumentError("there is no detector named '" + name + "'; the known ones are all" +
                          known);
    }
    chosen.push_back(*found);
  }
  if (chosen.empty()) throw ArgumentError("the option 'detectors' names no detector");
  return chosen;
}

OodRun::OodRun(LoadedModel& model, const ImageSet& set, const OodRunOptions& options,
               WorkObserver& observer)
    : model_(model),
      set_(set),
      options_(options),
      observer_(observer),
      engine_(*model.network, model.description.preprocessing) {}

McOutput OodRun::run(const std::string& split, const McOptions& mc, const std::string& what) {
  return observer_.run_passes(engine_, set_.split(split).images, mc, what + " of " + split);
}

void OodRun::use_logits(const std::string& split, NdArray logits) {
  Drawn drawn;
  drawn.logits = std::move(logits);
  drawn.plain = predict(McLogits(drawn.logits));
  drawn_.insert_or_assign(split, std::move(drawn));
}

OodRun::Drawn& OodRun::drawn(const std::string& split) {
  const auto found = drawn_.find(split);
  if (found != drawn_.end()) return found->second;
  McOptions mc = options_.mc;
  mc.features = options_.features == FeatureSource::kPasses;
  McOutput output = run(split, mc, "passes");
  Drawn drawn;
  if (mc.features) drawn.features = detector_input(output, set_.split(split).images);
  drawn.logits = std::move(output.logits);
  drawn.plain = predict(McLogits(drawn.logits));
  return drawn_.emplace(split, std::move(drawn)).first->second;
}

DetectorInput OodRun::features(const std::string& split, FeatureSource source) {
  if (source == FeatureSource::kPasses) return drawn(split).features;
  const auto found = mean_features_.find(split);
  if (found != mean_features_.end()) return found->second;
  McOptions mc = options_.mc;
  mc.features = mc.mean_weights = true;
  return mean_features_
      .emplace(split, detector_input(run(split, mc, "features"), set_.split(split).images))
      .first->second;
}

const Predictive& OodRun::plain(const std::string& split) { return drawn(split).plain; }

const Calibration& OodRun::dts() {
  const std::optional<Calibration>& own = model_.description.calibration;
  if (!dts_ && own && !is_scalar(own->method)) dts_ = *own;
  if (!dts_) {
    const std::vector<std::int64_t> labels =
        values_of(known_labels(set_.split("val"), model_.description.classes()));
    FitOptions fit;
    fit.method = CalibrationMethod::kDts;
    fit.thresholds = model_.description.operating_point();
    FitResult result = fit_calibration(McLogits(drawn("val").logits), labels, fit);
    for (const std::string& warning : result.warnings) observer_.warning(warning);
    dts_ = result.calibration;
  }
  return *dts_;
}

const Predictive& OodRun::with_dts(const std::string& split) {
  const Calibration& calibration = dts();
  Drawn& data = drawn(split);
  if (!data.dts) data.dts = apply_calibration(calibration, McLogits(data.logits), data.plain);
  return *data.dts;
}

const Predictive& OodRun::as_predicted(const std::string& split) {
  Drawn& data = drawn(split);
  const std::optional<Calibration>& own = model_.description.calibration;
  if (!own) return data.plain;
  if (!data.predicted) data.predicted = apply_calibration(*own, McLogits(data.logits), data.plain);
  return *data.predicted;
}

void OodRun::fit_all(const std::vector<Detector*>& detectors, const DetectorInput& input,
                     const at::Tensor& labels) const {
  constexpr std::int64_t rows = 4096;
  fit_detectors(detectors, [&](const auto& visit) {
    for (std::int64_t first = 0; first < input.size(); first += rows) {
      const std::int64_t count = std::min(rows, input.size() - first);
      visit(input.narrow(first, count).to(options_.device), labels.narrow(0, first, count));
    }
  });
}

void OodRun::fit(const std::vector<OodRow>& rows, const std::string& split) {
  const at::Tensor labels = known_labels(set_.split(split), model_.description.classes());
  std::vector<Detector*> new_ones;
  const auto want = [&](const std::string& name) {
    if (detectors_.count(name) > 0) return;
    new_ones.push_back(
        detectors_.emplace(name, make_detector(name, options_.detector)).first->second.get());
  };
  bool perturbed = false;
  for (const OodRow& row : rows) {
    if (row.key == kPerturbation) {
      perturbed = true;
      if (options_.features == FeatureSource::kMeanWeights) want(kPerturbedBase);
    } else if (!is_output_score(row.key) && row.key.compare(0, kDts.size(), kDts) != 0) {
      want(row.key);
    }
  }
  if (!new_ones.empty()) fit_all(new_ones, features(split, options_.features), labels);
  if (!perturbed || epsilon_) return;
  if (options_.features != FeatureSource::kMeanWeights) {
    perturbed_base_ = make_detector(kPerturbedBase, options_.detector);
    fit_all({perturbed_base_.get()}, features(split, FeatureSource::kMeanWeights), labels);
  }
  const ComputeScope computing(compute());
  const Perturbation perturbation(*model_.network, model_.description.preprocessing,
                                  perturbed_base_ ? *perturbed_base_ : detector(kPerturbedBase));
  epsilon_ = perturbation.choose_epsilon(set_.split("val").images, default_epsilons());
}

ComputeSettings OodRun::compute() const {
  return compute_settings(options_.mc.compute.precision, model_.network->options().device);
}

const Detector& OodRun::detector(const std::string& name) const { return *detectors_.at(name); }

std::unique_ptr<Detector> OodRun::release(const std::string& name) {
  return std::move(detectors_.at(name));
}

std::vector<double> OodRun::detector_scores(const Detector& detector,
                                            const DetectorInput& input) const {
  constexpr std::int64_t rows = 4096;
  std::vector<double> all;
  for (std::int64_t first = 0; first < input.size(); first += rows) {
    const std::int64_t count = std::min(rows, input.size() - first);
    const std::vector<double> part =
        score_all(detector, input.narrow(first, count).to(options_.device));
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

std::vector<double> OodRun::scores(const OodRow& row, const std::string& split) {
  if (is_output_score(row.key)) {
    return output_scores(row.key, McLogits(drawn(split).logits), plain(split));
  }
  if (row.key.compare(0, kDts.size(), kDts) == 0) {
    const Predictive& predictive = with_dts(split);
    return output_scores(row.key.substr(kDts.size()), McLogits(drawn(split).logits), predictive);
  }
  if (row.key == kPerturbation) {
    const ComputeScope computing(compute());
    const Perturbation perturbation(*model_.network, model_.description.preprocessing,
                                    perturbed_base_ ? *perturbed_base_ : detector(kPerturbedBase));
    return perturbation.score(set_.split(split).images, *epsilon_);
  }
  return detector_scores(detector(row.key), features(split, options_.features));
}

OodRun::Shown OodRun::show(const std::string& name, const at::Tensor& images,
                           const std::string& what) {
  McOptions mc = options_.mc;
  mc.features = options_.features == FeatureSource::kPasses;
  const McOutput output = observer_.run_passes(engine_, images, mc, "passes of " + what);
  const McLogits logits(output.logits);
  Shown shown{{}, predict(logits)};
  if (const std::optional<Calibration>& own = model_.description.calibration) {
    shown.predictive = apply_calibration(*own, logits, shown.predictive);
  }
  const DetectorInput input =
      mc.features ? detector_input(output, images)
                  : network_features(engine_, images, mc, FeatureSource::kMeanWeights);
  shown.scores = detector_scores(detector(name), input);
  return shown;
}

}  // namespace cubcal
