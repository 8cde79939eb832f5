#include "cubcal/metrics/clinical.h"

#include <algorithm>

#include "cubcal/core/check.h"
#include "cubcal/core/parallel.h"
#include "cubcal/core/tolerances.h"
#include "cubcal/metrics/ratio.h"
#include "cubcal/metrics/value_order.h"

namespace cubcal {

namespace {

/// Every field of a table, always in the same order.
template <class T>
std::vector<std::optional<T>*> fields_of(ClinicalTable<T>& table) {
  std::vector<std::optional<T>*> fields;
  const auto add = [&](auto& row) {
    for (std::optional<T>& field : row) fields.push_back(&field);
  };
  add(table.overall);
  for (auto& row : table.by_class) add(row);
  for (auto& rule : table.points) {
    for (auto& row : rule) add(row);
  }
  add(table.confusion);
  return fields;
}

template <class T>
ClinicalTable<T> empty_table(std::size_t classes, std::size_t rules) {
  ClinicalTable<T> table;
  table.by_class.resize(classes);
  table.points.assign(rules, std::vector<PointValues<T>>(classes));
  if (classes <= kMostConfusedClasses) table.confusion.resize(classes * classes);
  return table;
}

/// The shares of all classes, 1 together: the stated ones, and the rest as among the labels.
std::vector<double> population_shares(const std::vector<std::optional<double>>& stated,
                                      const SampleFacts& facts) {
  check_same_size("shares of the population", stated.size(), "the classes", facts.classes);
  const CountedConfusion confusion(facts);
  double taken = 0;
  double others = 0;
  for (std::size_t k = 0; k < facts.classes; ++k) {
    if (stated[k]) check_in_closed("a prevalence", *stated[k], 0, 1);
    taken += stated[k].value_or(0);
    others += stated[k] ? 0 : confusion.labelled(k);
  }
  const double rest = 1 - taken;
  const bool is_all_stated = others == 0;
  if (rest < -kSumRounding || (is_all_stated && rest > kSumRounding)) {
    throw ArgumentError(
        "the stated shares of classes are " + to_text(taken) + " together, " +
        (rest < 0 ? "more than 1" : "and no other class with a sample could have the rest"));
  }
  std::vector<double> shares;
  for (std::size_t k = 0; k < facts.classes; ++k) {
    shares.push_back(stated[k]       ? *stated[k]
                     : is_all_stated ? 0
                                     : std::max(rest, 0.0) * confusion.labelled(k) / others);
  }
  return shares;
}

void set(ClinicalValues& values, ClinicalMetric metric, std::optional<double> value) {
  values.overall[static_cast<std::size_t>(metric)] = value;
}

}  // namespace

const std::array<MetricLabel, kClinicalCount>& clinical_infos() {
  static const std::array<MetricLabel, kClinicalCount> infos = {{
      {"auroc", "AUROC, mean of classes", MetricUnit::kPercent, 1},
      {"aupr", "AUPR, mean of classes", MetricUnit::kPercent, 1},
      {"kappa", "Cohen's kappa", MetricUnit::kFraction, 1},
      {"quadratic_kappa", "quadratic kappa (grades)", MetricUnit::kFraction, 1},
      {"mcc", "Matthews correlation", MetricUnit::kFraction, 1},
      {"mistake_auroc", "AUROC of U for mistakes", MetricUnit::kPercent, 1},
      {"classwise_ece", "class-wise ECE", MetricUnit::kPercent, -1},
      {"adaptive_ece", "adaptive ECE", MetricUnit::kPercent, -1},
      {"debiased_ece", "debiased ECE (root mean square)", MetricUnit::kPercent, -1},
      {"brier_reliability", "Brier reliability", MetricUnit::kFraction, -1},
      {"brier_resolution", "Brier resolution", MetricUnit::kFraction, 1},
      {"brier_uncertainty", "Brier uncertainty", MetricUnit::kFraction},
      {"calibration_slope", "calibration slope", MetricUnit::kFraction},
      {"calibration_intercept", "calibration intercept", MetricUnit::kFraction},
  }};
  return infos;
}

std::string prevalence_words(const ClinicalOptions& options,
                             const std::vector<std::string>& class_names) {
  const bool in_turn = options.population.empty();
  const std::vector<std::optional<double>>& shares =
      in_turn ? options.prevalence : options.population;
  std::string text;
  std::size_t stated = 0;
  bool is_one_share = true;
  for (std::size_t k = 0; k < shares.size(); ++k) {
    if (!shares[k]) continue;
    ++stated;
    is_one_share = is_one_share && shares[k] == shares.front();
    text +=
        (text.empty() ? "" : ", ") + class_names[k] + " " + significant(100 * *shares[k], 6) + "%";
  }
  if (stated == 0) return {};
  if (in_turn && is_one_share && stated == shares.size()) {
    text = significant(100 * *shares.front(), 6) + "%";
  }
  const std::string rest = stated == shares.size() && !in_turn
                               ? ""
                               : "; the other classes share the rest as among these samples";
  return (in_turn ? "where each class in turn has this share: "
                  : "where classes have these shares: ") +
         text + rest;
}

const std::array<MetricLabel, kClassMetricCount>& class_metric_infos() {
  static const std::array<MetricLabel, kClassMetricCount> infos = {{
      {"auroc", "AUROC", MetricUnit::kPercent},
      {"aupr", "AUPR", MetricUnit::kPercent},
  }};
  return infos;
}

ClinicalMetrics::ClinicalMetrics(const SampleFacts& facts, const Predictive& predictive,
                                 const ClinicalOptions& options)
    : facts_(facts), options_(options) {
  for (const OperatingRule& rule : options.rules) check_operating_rule(rule);
  if (!options.prevalence.empty()) {
    check_same_size("prevalences", options.prevalence.size(), "the classes", facts.classes);
  }
  for (const std::optional<double>& share : options.prevalence) {
    if (share) check_in_closed("a prevalence", *share, 0, 1);
  }
  if (!options.population.empty()) {
    if (!options.prevalence.empty()) {
      throw ArgumentError("shares are stated of one population or of each class in turn, not both");
    }
    shares_ = population_shares(options.population, facts);
  }
  options_.prevalence.resize(facts.classes);
  ranked_.resize(facts.classes);
  bin_ends_.resize(facts.classes);
  parallel_blocks(facts.classes, 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t k = first; k < last; ++k) {
      ranked_[k] = rank_class(facts, predictive, k);
      bin_ends_[k] = bin_ends(ranked_[k], facts.options.bins);
    }
  });
  std::vector<std::uint8_t> wrong(facts.samples);
  for (std::size_t i = 0; i < facts.samples; ++i) wrong[i] = facts.correct[i] == 0 ? 1 : 0;
  mistakes_ = rank_scores(facts.entropy, wrong);
  by_confidence_ = ascending_order(facts.confidence);
  line_data_ = line_data(facts, predictive);
  line_starts_ = line_starts(line_data_);
}

void ClinicalMetrics::add_agreement(ClinicalValues& values,
                                    const CountedConfusion& confusion) const {
  set(values, ClinicalMetric::kKappa, cohen_kappa(confusion, KappaWeights::kEqual));
  set(values, ClinicalMetric::kQuadraticKappa, cohen_kappa(confusion, KappaWeights::kQuadratic));
  set(values, ClinicalMetric::kMatthews, matthews_correlation(confusion));
  for (std::size_t cell = 0; cell < values.confusion.size(); ++cell) {
    const std::size_t label = cell / facts_.classes;
    values.confusion[cell] =
        ratio(confusion.cell(label, cell % facts_.classes), confusion.labelled(label));
  }
}

void ClinicalMetrics::add_points(ClinicalValues& values, const CountedConfusion& confusion,
                                 SampleCounts counts) const {
  RankedCounts own;
  for (std::size_t r = 0; r < options_.rules.size(); ++r) {
    const OperatingRule& rule = options_.rules[r];
    for (std::size_t k = 0; k < facts_.classes; ++k) {
      if (rule.rule != PointRule::kAnswer) take_counts(ranked_[k], counts, own);
      values.points[r][k] =
          point_values(rule.rule == PointRule::kAnswer ? point_by_answer(confusion, k)
                                                       : point_by_score(ranked_[k], own, rule),
                       options_.prevalence[k]);
      if (!shares_.empty()) take_to_population(values.points[r][k], k, rule, confusion, own);
    }
  }
}

void ClinicalMetrics::take_to_population(PointValues<double>& values, std::size_t k,
                                         const OperatingRule& rule,
                                         const CountedConfusion& confusion,
                                         const RankedCounts& counts) const {
  const auto at = [&](PointMetric metric) -> std::optional<double>& {
    return values[static_cast<std::size_t>(metric)];
  };
  at(PointMetric::kPpv).reset();
  at(PointMetric::kNpv).reset();
  if (!at(PointMetric::kSensitivity) || !at(PointMetric::kSpecificity)) return;
  std::vector<double> called(facts_.classes, 0);
  if (rule.rule == PointRule::kAnswer) {
    for (std::size_t y = 0; y < facts_.classes; ++y) called[y] = confusion.cell(y, k);
  } else if (const std::optional<double> threshold = at(PointMetric::kThreshold)) {
    const RankedScores& ranked = ranked_[k];
    for (std::size_t r = 0; r < ranked.size() && ranked.scores[r] >= *threshold; ++r) {
      called[static_cast<std::size_t>(facts_.labels[ranked.samples[r]])] += counts[r];
    }
  }
  double all_called = 0;
  double others_left = 0;
  double all_left = 0;
  for (std::size_t y = 0; y < facts_.classes; ++y) {
    if (shares_[y] == 0) continue;
    if (confusion.labelled(y) == 0) return;  // how a class there is called is not known
    const double rate = called[y] / confusion.labelled(y);
    all_called += shares_[y] * rate;
    all_left += shares_[y] * (1 - rate);
    others_left += y == k ? 0 : shares_[y] * (1 - rate);
  }
  at(PointMetric::kPpv) = ratio(shares_[k] * *at(PointMetric::kSensitivity), all_called);
  at(PointMetric::kNpv) = ratio(others_left, all_left);
}

void ClinicalMetrics::add_classes(ClinicalValues& values,
                                  const std::vector<ClassNumbers>& numbers) const {
  double auroc = 0;
  double aupr = 0;
  double defined = 0;
  ClassCalibration sums;
  for (std::size_t k = 0; k < facts_.classes; ++k) {
    values.by_class[k] = {numbers[k].auroc, numbers[k].aupr};
    auroc += numbers[k].auroc.value_or(0);
    aupr += numbers[k].aupr.value_or(0);
    defined += numbers[k].auroc ? 1 : 0;
    sums.ece += numbers[k].calibration.ece;
    sums.reliability += numbers[k].calibration.reliability;
    sums.resolution += numbers[k].calibration.resolution;
    sums.uncertainty += numbers[k].calibration.uncertainty;
  }
  set(values, ClinicalMetric::kAuroc, ratio(auroc, defined));
  set(values, ClinicalMetric::kAupr, ratio(aupr, defined));
  set(values, ClinicalMetric::kClasswiseEce, sums.ece / static_cast<double>(facts_.classes));
  set(values, ClinicalMetric::kReliability, sums.reliability);
  set(values, ClinicalMetric::kResolution, sums.resolution);
  set(values, ClinicalMetric::kUncertainty, sums.uncertainty);
}

void ClinicalMetrics::add_calibration(ClinicalValues& values, SampleCounts counts) const {
  set(values, ClinicalMetric::kAdaptiveEce,
      adaptive_calibration_error(facts_, by_confidence_, counts));
  set(values, ClinicalMetric::kDebiasedEce, debiased_calibration_error(facts_, counts));
  const CalibrationLine line = calibration_line(line_data_, counts, &line_starts_);
  set(values, ClinicalMetric::kSlope, line.slope);
  set(values, ClinicalMetric::kIntercept, line.intercept);
}

ClinicalValues ClinicalMetrics::values_beside_rankings(SampleCounts counts) const {
  ClinicalValues values = empty_table<double>(facts_.classes, options_.rules.size());
  const CountedConfusion confusion(facts_, counts);
  add_agreement(values, confusion);
  add_points(values, confusion, counts);
  add_calibration(values, counts);
  return values;
}

ClinicalValues ClinicalMetrics::values(SampleCounts counts) const {
  ClinicalValues values = values_beside_rankings(counts);
  RankedCounts own;
  take_counts(mistakes_, counts, own);
  if (const auto mistakes = discrimination(mistakes_, own)) {
    set(values, ClinicalMetric::kMistakeAuroc, mistakes->auroc);
  }
  std::vector<ClassNumbers> numbers;
  for (std::size_t k = 0; k < facts_.classes; ++k) {
    take_counts(ranked_[k], counts, own);
    numbers.push_back(class_numbers(ranked_[k], own, bin_ends_[k]));
  }
  add_classes(values, numbers);
  return values;
}

void ClinicalMetrics::add_replicates(std::vector<ClinicalValues>& replicates,
                                     std::vector<MetricValues>* metrics, std::size_t first,
                                     const ResamplingUnits& units, std::uint64_t seed) const {
  const std::size_t lanes = std::min(kLanes, replicates.size() - first);
  // Lanes without a replicate count every sample once.
  std::vector<LaneCounts> counts(facts_.samples, LaneCounts{{1, 1, 1, 1, 1, 1, 1, 1}});
  for (std::size_t l = 0; l < lanes; ++l) {
    SeedStream stream(seed, first + l);
    const std::vector<std::uint32_t> drawn = draw_counts(units, stream);
    for (std::size_t i = 0; i < facts_.samples; ++i) {
      counts[i].of[l] = static_cast<std::int32_t>(drawn[i]);
    }
    replicates[first + l] = values_beside_rankings(SampleCounts(drawn));
    if (metrics != nullptr) (*metrics)[first + l] = metric_values(facts_, SampleCounts(drawn));
  }
  std::vector<std::vector<ClassNumbers>> numbers(lanes);
  for (std::size_t k = 0; k < facts_.classes; ++k) {
    const auto own = class_numbers(ranked_[k], counts, bin_ends_[k]);
    for (std::size_t l = 0; l < lanes; ++l) numbers[l].push_back(own[l]);
  }
  const auto mistakes =
      class_numbers(mistakes_, counts, {static_cast<std::uint32_t>(facts_.samples)});
  for (std::size_t l = 0; l < lanes; ++l) {
    add_classes(replicates[first + l], numbers[l]);
    set(replicates[first + l], ClinicalMetric::kMistakeAuroc, mistakes[l].auroc);
  }
}

ClinicalIntervals ClinicalMetrics::intervals(const std::vector<std::string>& groups,
                                             const BootstrapOptions& options,
                                             std::vector<MetricValues>* metrics) const {
  check_bootstrap_options(options);
  const ResamplingUnits units = resampling_units(facts_.samples, groups, "labels");
  std::vector<ClinicalValues> replicates(options.replicates);
  if (metrics != nullptr) metrics->assign(options.replicates, {});
  parallel_blocks(options.replicates, kLanes, [&](std::size_t first, std::size_t) {
    add_replicates(replicates, metrics, first, units, options.seed);
  });
  ClinicalIntervals intervals = empty_table<Interval>(facts_.classes, options_.rules.size());
  const std::vector<std::optional<Interval>*> wanted = fields_of(intervals);
  std::vector<std::vector<double>> defined(wanted.size());
  for (ClinicalValues& replicate : replicates) {
    const std::vector<std::optional<double>*> fields = fields_of(replicate);
    for (std::size_t f = 0; f < fields.size(); ++f) {
      if (*fields[f]) defined[f].push_back(**fields[f]);
    }
  }
  for (std::size_t f = 0; f < wanted.size(); ++f) {
    if (defined[f].empty()) continue;
    *wanted[f] = percentile_interval(std::move(defined[f]), options.level);
  }
  return intervals;
}

}  // namespace cubcal
