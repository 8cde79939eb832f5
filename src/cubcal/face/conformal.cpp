#include "cubcal/conformal.h"

#include <algorithm>
#include <numeric>

#include "cubcal/conformal/prediction_sets.h"
#include "cubcal/conformal/set_summary.h"
#include "cubcal/metrics/sample_facts.h"

namespace cubcal {

namespace {

std::size_t classes_named(const std::vector<ClassSet>& sets,
                          const std::vector<std::int64_t>& labels) {
  std::size_t classes = 1;
  for (const ClassSet& each : sets) {
    for (const std::size_t k : each) classes = std::max(classes, k + 1);
  }
  for (const std::int64_t label : labels) {
    classes = std::max(classes, static_cast<std::size_t>(std::max<std::int64_t>(label, 0)) + 1);
  }
  return classes;
}

}  // namespace

SetPredictor::SetPredictor(const ConformalRule& rule)
    : rule_(std::make_shared<const ConformalRule>(rule)) {}

std::vector<ClassSet> SetPredictor::sets(const Predictive& predictive,
                                         const std::vector<std::string>& groups) const {
  const std::vector<std::uint8_t> flags = prediction_sets(*rule_, predictive, groups);
  std::vector<ClassSet> sets(predictive.samples);
  for (std::size_t i = 0; i < predictive.samples; ++i) {
    for (std::size_t k = 0; k < predictive.classes; ++k) {
      if (flags[i * predictive.classes + k] != 0) sets[i].push_back(k);
    }
  }
  return sets;
}

SetPredictor fit_sets(const Predictive& calibration, const std::vector<std::int64_t>& labels,
                      const SetOptions& options, const std::vector<std::string>& groups) {
  check_labels(labels, calibration.samples, calibration.classes);
  ConformalOptions fit;
  fit.score.score = score_from_name(options.score);
  fit.score.penalty = options.penalty;
  fit.score.free_classes = options.free_classes;
  fit.alpha = options.alpha;
  fit.by_class = options.by_class;
  return SetPredictor(fit_conformal(calibration, labels, groups, fit));
}

SetCoverage set_coverage(const std::vector<ClassSet>& sets, const std::vector<std::int64_t>& labels,
                         double level) {
  const std::size_t classes = classes_named(sets, labels);
  check_labels(labels, sets.size(), classes);
  std::vector<std::uint8_t> flags(sets.size() * classes, 0);
  for (std::size_t i = 0; i < sets.size(); ++i) {
    for (const std::size_t k : sets[i]) flags[i * classes + k] = 1;
  }
  std::vector<std::size_t> everyone(sets.size());
  std::iota(everyone.begin(), everyone.end(), std::size_t{0});
  const SetSummary summary = summarise_sets("", flags, classes, labels, everyone, level);
  return {summary.covered, counted_share(summary.by_size[1], sets.size(), level),
          summary.single_right, counted_share(summary.by_size[0], sets.size(), level),
          summary.mean_size().value_or(0)};
}

}  // namespace cubcal
