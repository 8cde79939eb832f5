#include "cubcal/report/run_result.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "cubcal/calibration/fit.h"
#include "cubcal/calibration/selection.h"
#include "cubcal/core/check.h"
#include "cubcal/core/error.h"
#include "cubcal/evaluation/predict_file.h"
#include "cubcal/metrics/max_t.h"
#include "cubcal/report/numbers.h"
#include "cubcal/report/shown_path.h"

namespace cubcal::report {

namespace {

template <class Work>
auto naming(const std::string& path, Work work) {
  try {
    return work();
  } catch (const DataError& error) {
    throw DataError("'" + path + "': " + error.what());
  }
}

std::vector<std::int64_t> numbered(const std::vector<std::string>& groups) {
  std::unordered_map<std::string, std::int64_t> numbers;
  std::vector<std::int64_t> result;
  result.reserve(groups.size());
  for (const std::string& group : groups) {
    result.push_back(
        numbers.emplace(group, static_cast<std::int64_t>(numbers.size())).first->second);
  }
  return result;
}

CardRow file_row(const char* name, const LogitsInput& input) {
  const McLogits logits(input.logits.logits);
  return {name, shown_path(input.logits.path) + ": " + counted(logits.samples(), "sample") + ", " +
                    std::to_string(logits.passes()) + (logits.passes() == 1 ? " pass" : " passes") +
                    ", hash " + input.hash};
}

SampleSet sample_set(const char* name, const LogitsInput& input) {
  const std::vector<std::string>& groups = input.logits.groups;
  SampleSet set{name, McLogits(input.logits.logits).samples(), {}};
  if (!groups.empty()) set.groups = std::set<std::string>(groups.begin(), groups.end()).size();
  return set;
}

/// How many different names are in both; nothing where one is empty.
std::optional<std::size_t> shared_names(const std::vector<std::string>& a,
                                        const std::vector<std::string>& b) {
  if (a.empty() || b.empty()) return std::nullopt;
  const std::set<std::string> first(a.begin(), a.end());
  const std::set<std::string> second(b.begin(), b.end());
  return static_cast<std::size_t>(std::count_if(
      first.begin(), first.end(), [&](const std::string& name) { return second.count(name) > 0; }));
}

class Analyst {
 public:
  Analyst(RunInput input, const ReportOptions& options)
      : input_(std::move(input)), options_(options), logits_(input_.test.logits.logits) {}

  RunResult result() {
    describe();
    measure();
    calibrate();
    refer();
    detect();
    study();
    return std::move(run_);
  }

 private:
  void describe() {
    run_.label = input_.label;
    run_.label_given = input_.label_given;
    run_.source = input_.source;
    run_.folder = input_.folder;
    if (options_.advice_on_logits && !input_.folder.empty()) {
      run_.advice_on_validation = options_.advice_on_logits(shown_path(input_.folder), "val");
    }
    run_.other_images = input_.other_images;
    run_.record = input_.record;
    run_.deployed = input_.deployed;
    run_.record.recipe = without_folders(run_.record.recipe);
    run_.inputs.push_back(file_row("Test logits", input_.test));
    if (input_.validation) run_.inputs.push_back(file_row("Validation logits", *input_.validation));
    if (input_.outliers) run_.inputs.push_back(file_row("Outlier logits", *input_.outliers));
    if (input_.fresh) run_.inputs.push_back(file_row("Logits of the new place", *input_.fresh));
    run_.sets.push_back(sample_set("Test", input_.test));
    if (input_.validation) {
      const LogitsFile& other = input_.validation->logits;
      run_.sets.push_back(sample_set("Validation", *input_.validation));
      run_.shared_groups = shared_names(input_.test.logits.groups, other.groups);
      run_.shared_files = shared_names(input_.test.logits.files, other.files);
      run_.validation_is_test = input_.test.hash == input_.validation->hash;
    }
    if (input_.outliers) run_.sets.push_back(sample_set("Of no class", *input_.outliers));
    run_.passes = logits_.passes();
    run_.groups = input_.test.logits.groups;
    run_.files = input_.test.logits.files;
    run_.columns = input_.test.logits.columns;
    run_.class_names = input_.test.logits.class_names;
    run_.has_class_names = !run_.class_names.empty();
    for (std::size_t k = run_.class_names.size(); k < logits_.classes(); ++k) {
      run_.class_names.push_back("class " + std::to_string(k));
    }
    run_.epochs = input_.epochs;
    run_.detectors = input_.detectors;
  }

  void measure() {
    const LogitsFile& file = input_.test.logits;
    naming(file.path, [&] {
      plain_ = plain_prediction(file);
      run_.facts = sample_facts(plain_, file.labels, options_.metrics);
      return 0;
    });
    run_.values = metric_values(run_.facts);
    run_.intervals = bootstrap_intervals(run_.facts, file.groups, options_.bootstrap);
    if (options_.runs.size() > 1) {
      run_.scaled = values_by_temperature(logits_, file.labels, options_.metrics);
    }
    run_.error_auroc = auroc_of_errors(run_.facts);
    if (!input_.validation) return;
    const LogitsFile& validation = input_.validation->logits;
    naming(validation.path, [&] {
      validation_plain_ = plain_prediction(validation);
      if (validation.has_labels) {
        run_.validation = sample_facts(*validation_plain_, validation.labels, options_.metrics);
      }
      return 0;
    });
  }

  void add(const Calibration& calibration, bool fitted_here, std::vector<std::string> warnings) {
    PostHoc each;
    const Predictive scaled = naming(input_.test.logits.path, [&] {
      return calibrated_prediction(input_.test.logits, calibration, plain_);
    });
    each.facts = sample_facts(scaled, input_.test.logits.labels, options_.metrics);
    each.values = metric_values(each.facts);
    each.calibration = calibration;
    each.fitted_here = fitted_here;
    each.warnings = std::move(warnings);
    for (std::size_t i = 0; i < plain_.samples; ++i) {
      each.changed_predictions += scaled.predicted[i] != plain_.predicted[i];
    }
    run_.post_hoc.push_back(std::move(each));
  }

  void calibrate() {
    std::vector<Calibration> given = input_.calibrations;
    std::optional<CalibrationMethod> wanted = input_.attached;
    if (input_.shown_calibration) {
      const Calibration& own = *input_.shown_calibration;
      given.erase(
          std::remove_if(given.begin(), given.end(),
                         [&](const Calibration& each) { return each.method == own.method; }),
          given.end());
      given.push_back(own);
      wanted = own.method;
    }
    for (const CalibrationMethod method : kCalibrationMethods) {
      const auto own = std::find_if(given.begin(), given.end(),
                                    [&](const Calibration& each) { return each.method == method; });
      if (own != given.end()) {
        add(*own, false, bound_warnings(*own));
      } else {
        fit(method);
      }
    }
    map_objective();
    if (run_.deployed && !run_.deployed->calibration) return;
    if (!wanted && can_advise()) return choose_advised();
    for (const CalibrationMethod method :
         {wanted.value_or(CalibrationMethod::kDtsGuarded), CalibrationMethod::kDtsGuarded,
          CalibrationMethod::kDts}) {
      if (!run_.chosen) choose(method);
    }
  }

  void choose(CalibrationMethod method) {
    const PostHoc* found = run_.find(method);
    if (found) run_.chosen = static_cast<std::size_t>(found - run_.post_hoc.data());
  }

  /// Whether there is what a choice takes: labels, and groups to hold out.
  bool can_advise() const {
    if (!input_.validation || !input_.validation->logits.has_labels) return false;
    const LogitsFile& file = input_.validation->logits;
    if (file.groups.empty()) return file.labels.size() > 1;
    return std::set<std::string>(file.groups.begin(), file.groups.end()).size() > 1;
  }

  /// Of all methods, by cross-validation: it may be none.
  void choose_advised() {
    const LogitsFile& file = input_.validation->logits;
    SelectionOptions options;
    options.fit = fit_options();
    options.metrics = options_.metrics;
    const CalibrationSelection selection = naming(file.path, [&] {
      return select_calibration(McLogits(file.logits), file.labels, file.groups, options);
    });
    run_.is_advised = true;
    if (selection.best) choose(selection.candidates[*selection.best].fit.calibration.method);
  }

  FitOptions fit_options() const {
    FitOptions fit;
    fit.eta = options_.metrics.uncertainty_threshold;
    fit.gamma = options_.metrics.gamma;
    fit.bins = options_.metrics.bins;
    return fit;
  }

  void fit(CalibrationMethod method) {
    if (!input_.validation) return;
    const LogitsFile& file = input_.validation->logits;
    if (needs_labels(method) && !file.has_labels) return;
    FitOptions fit = fit_options();
    fit.method = method;
    FitResult result = naming(file.path, [&] {
      return fit_calibration(McLogits(file.logits), file.labels, fit, file.groups);
    });
    add(result.calibration, true, std::move(result.warnings));
  }

  void map_objective() {
    const PostHoc* dual = run_.find(CalibrationMethod::kDts);
    if (!dual) dual = run_.find(CalibrationMethod::kDtsGuarded);
    if (!dual || !input_.validation) return;
    const LogitsFile& file = input_.validation->logits;
    run_.objective =
        objective_map(McLogits(file.logits), file.labels, *validation_plain_, dual->calibration);
  }

  void refer() {
    run_.referral = find_referral(run_.facts, run_.validation ? &*run_.validation : nullptr,
                                  options_.risk_target);
  }

  void detect() {
    if (!input_.outliers) return;
    const LogitsFile& file = input_.outliers->logits;
    const Predictive outliers = naming(file.path, [&] { return plain_prediction(file); });
    run_.outliers = outliers.samples;
    if (run_.referral.threshold) {
      const auto answered = std::count_if(outliers.entropy.begin(), outliers.entropy.end(),
                                          [&](double u) { return u <= *run_.referral.threshold; });
      run_.outliers_answered =
          static_cast<double>(answered) / static_cast<double>(outliers.samples);
    }
    const std::vector<std::int64_t> id_groups = numbered(input_.test.logits.groups);
    const std::vector<std::int64_t> ood_groups = numbered(file.groups);
    const auto row = [&](const std::string& name, std::vector<double> id, std::vector<double> ood,
                         bool in_chart = true) {
      const auto result =
          detection_with_intervals({id, id_groups}, {ood, ood_groups}, options_.bootstrap);
      run_.detection.push_back({name, std::move(id), std::move(ood), *result, in_chart});
    };
    row("1 − confidence", doubts(plain_.confidence), doubts(outliers.confidence));
    row("uncertainty U", plain_.entropy, outliers.entropy);
    if (logits_.passes() > 1) {
      row("mutual information", epistemic_parts(plain_), epistemic_parts(outliers));
    }
    for (const PostHoc* each : run_.shown_calibrations()) {
      const Predictive ood = calibrated_prediction(file, each->calibration, outliers);
      const std::string after = std::string(" after ") + method_name(each->calibration.method);
      row("1 − confidence" + after, doubts(each->facts.confidence), doubts(ood.confidence), false);
      row("uncertainty U" + after, each->facts.entropy, ood.entropy);
    }
  }

  /// Through the calibration that was asked for, as the commands do that show the same.
  void study() {
    const bool has_clinical = options_.clinical || !options_.checklists.empty();
    if (!has_clinical && !options_.benefit && !options_.prevalence) return;
    const auto& calibration = input_.shown_calibration;
    naming(input_.test.logits.path, [&] {
      std::optional<Predictive> fresh;
      if (options_.prevalence && input_.fresh) {
        const LogitsFile& file = input_.fresh->logits;
        fresh = plain_prediction(file);
        if (calibration) fresh = calibrated_prediction(file, *calibration, *fresh);
      }
      run_.studies = run_studies(
          input_, run_.class_names,
          calibration ? calibrated_prediction(input_.test.logits, *calibration, plain_) : plain_,
          fresh, options_);
      return 0;
    });
  }

  RunInput input_;
  const ReportOptions& options_;
  McLogits logits_;
  Predictive plain_;
  std::optional<Predictive> validation_plain_;
  RunResult run_;
};

}  // namespace

const PostHoc* RunResult::find(CalibrationMethod method) const {
  for (const PostHoc& each : post_hoc) {
    if (each.calibration.method == method) return &each;
  }
  return nullptr;
}

std::vector<const PostHoc*> RunResult::shown_calibrations() const {
  std::vector<const PostHoc*> shown;
  const PostHoc* dts = deployed ? nullptr : find(CalibrationMethod::kDts);
  if (dts) shown.push_back(dts);
  if (chosen && chosen_calibration() != dts) shown.push_back(chosen_calibration());
  return shown;
}

std::optional<double> RunResult::referral_in_use() const {
  if (!deployed || !deployed->verdict || deployed->verdict->sets) return std::nullopt;
  return deployed->verdict->uncertainty;
}

std::optional<double> auroc_of_errors(const SampleFacts& facts) {
  std::vector<double> right;
  std::vector<double> wrong;
  for (std::size_t i = 0; i < facts.samples; ++i) {
    (facts.correct[i] ? right : wrong).push_back(facts.entropy[i]);
  }
  const auto metrics = detection_metrics(right, wrong);
  return metrics ? std::optional(metrics->auroc) : std::nullopt;
}

RunResult analyse(RunInput input, const ReportOptions& options) {
  return Analyst(std::move(input), options).result();
}

void add_audit(RunResult& run, const ReportOptions& options) {
  if (run.columns.empty()) return;
  AuditOptions own;
  own.bootstrap = options.bootstrap;
  own.permutations = std::max(options.bootstrap.replicates, fewest_permutations(own.alarm_rate));
  const double eta = options.metrics.uncertainty_threshold;
  own.refer_above = run.referral_in_use().value_or(run.referral.threshold.value_or(eta));
  const PostHoc* in_use = run.calibration_in_use();
  run.audit = audit_subgroups(in_use ? in_use->facts : run.facts, run.columns, run.groups, {}, own);
}

}  // namespace cubcal::report
