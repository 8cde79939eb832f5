#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cubcal/metrics/class_calibration.h"
#include "cubcal/metrics/class_lanes.h"
#include "cubcal/metrics/metric_values.h"
#include "cubcal/metrics/operating_point.h"
#include "cubcal/metrics/ranked_scores.h"
#include "cubcal/metrics/resampling.h"
#include "cubcal/metrics/sample_facts.h"

/// What medicine asks of a classifier beside accuracy: discrimination class by class, agreement
/// beyond chance, operating points, and calibration class by class.
namespace cubcal {

/// One number for all classes together.
enum class ClinicalMetric : std::size_t {
  kAuroc,           ///< mean of the classes' AUROC, over those that have one
  kAupr,            ///< likewise
  kKappa,           ///< cohen_kappa
  kQuadraticKappa,  ///< the same weighted for grades
  kMatthews,        ///< matthews_correlation
  kMistakeAuroc,    ///< AUROC of U for telling wrong answers from right ones
  kClasswiseEce,    ///< mean over classes of class_calibration's error
  kAdaptiveEce,     ///< adaptive_calibration_error
  kDebiasedEce,     ///< debiased_calibration_error
  kReliability,     ///< of the Brier score, summed over classes, as the next two
  kResolution,
  kUncertainty,
  kSlope,  ///< calibration_line
  kIntercept,
};
inline constexpr std::size_t kClinicalCount = 14;

/// One number for each class against the rest, by p_k. Undefined for a class that has no sample, or
/// all of them.
enum class ClassMetric : std::size_t { kAuroc, kAupr };
inline constexpr std::size_t kClassMetricCount = 2;

const std::array<MetricLabel, kClinicalCount>& clinical_infos();
const std::array<MetricLabel, kClassMetricCount>& class_metric_infos();

struct ClinicalOptions {
  std::vector<OperatingRule> rules = {OperatingRule{}};  ///< each gives a table of points
  /// For each class, in turn, a share it has where the classifier is to be used, the others sharing
  /// the rest as they do among the samples: a population for each. Empty, or nothing for a class:
  /// as among the samples.
  std::vector<std::optional<double>> prevalence;
  /// One population for all classes: shares of some, the others sharing the rest as they do among
  /// the samples; empty: none is stated. Of this and `prevalence` one at most.
  std::vector<std::optional<double>> population = {};
};

/// "where classes have these shares: melanoma 2%; the other classes share the rest as among these
/// samples"; empty where none is stated.
std::string prevalence_words(const ClinicalOptions& options,
                             const std::vector<std::string>& class_names);

/// Confusion shares are kept up to so many classes: their number grows with the square.
inline constexpr std::size_t kMostConfusedClasses = 50;

/// Values (double) or their intervals; undefined ones hold nothing.
template <class T>
struct ClinicalTable {
  std::array<std::optional<T>, kClinicalCount> overall;
  std::vector<std::array<std::optional<T>, kClassMetricCount>> by_class;  ///< [K]
  std::vector<std::vector<PointValues<T>>> points;                        ///< [rules][K]
  /// [K * K]: share of the samples of a label that get an answer; undefined without a sample of the
  /// label. Empty beyond kMostConfusedClasses.
  std::vector<std::optional<T>> confusion;

  const std::optional<T>& operator[](ClinicalMetric metric) const {
    return overall[static_cast<std::size_t>(metric)];
  }
  const std::optional<T>& of_class(std::size_t label, ClassMetric metric) const {
    return by_class[label][static_cast<std::size_t>(metric)];
  }
  const std::optional<T>& at_point(std::size_t rule, std::size_t label, PointMetric metric) const {
    return points[rule][label][static_cast<std::size_t>(metric)];
  }
};
using ClinicalValues = ClinicalTable<double>;
using ClinicalIntervals = ClinicalTable<Interval>;

/// Works out once what all resamples share.
class ClinicalMetrics {
 public:
  /// `predictive` is what the facts were made of; the facts must outlive this. Throws ArgumentError
  /// for a rule or a prevalence outside its domain.
  ClinicalMetrics(const SampleFacts& facts, const Predictive& predictive,
                  const ClinicalOptions& options = {});

  ClinicalValues values(SampleCounts counts = {}) const;

  /// Percentile bootstrap over samples, or over whole groups where `groups` names one for each
  /// sample. Thresholds for a sensitivity or specificity wanted are chosen anew in each replicate.
  /// The result depends on the seed, not on the threads. `metrics`, where given, becomes what
  /// metric_values() says of each replicate: the draws are those of bootstrap_intervals().
  ClinicalIntervals intervals(const std::vector<std::string>& groups,
                              const BootstrapOptions& options,
                              std::vector<MetricValues>* metrics = nullptr) const;

 private:
  void add_agreement(ClinicalValues& values, const CountedConfusion& confusion) const;
  /// All but what the rankings give.
  ClinicalValues values_beside_rankings(SampleCounts counts) const;
  void add_points(ClinicalValues& values, const CountedConfusion& confusion,
                  SampleCounts counts) const;
  /// PPV and NPV of class k where classes have the stated shares.
  void take_to_population(PointValues<double>& values, std::size_t k, const OperatingRule& rule,
                          const CountedConfusion& confusion, const RankedCounts& counts) const;
  void add_classes(ClinicalValues& values, const std::vector<ClassNumbers>& numbers) const;
  /// Of replicates first ... first + kLanes - 1, or as many of them as there are.
  void add_replicates(std::vector<ClinicalValues>& replicates, std::vector<MetricValues>* metrics,
                      std::size_t first, const ResamplingUnits& units, std::uint64_t seed) const;
  void add_calibration(ClinicalValues& values, SampleCounts counts) const;

  const SampleFacts& facts_;
  ClinicalOptions options_;
  std::vector<double> shares_;                        ///< of the population; empty: none is stated
  std::vector<RankedScores> ranked_;                  ///< for each class
  std::vector<std::vector<std::uint32_t>> bin_ends_;  ///< likewise
  RankedScores mistakes_;                             ///< by U; positive where the answer is wrong
  std::vector<std::uint32_t> by_confidence_;          ///< lowest first
  LineData line_data_;
  LineStarts line_starts_;
};

}  // namespace cubcal
