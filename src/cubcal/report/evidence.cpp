#include <algorithm>
#include <set>

#include "cubcal/benefit/benefit_words.h"
#include "cubcal/conformal/verdict_promises.h"
#include "cubcal/core/words.h"
#include "cubcal/metrics/classification.h"
#include "cubcal/plot/svg.h"
#include "cubcal/report/numbers.h"
#include "cubcal/report/outputs.h"
#include "cubcal/report/verdict.h"
#include "cubcal/version.h"

namespace cubcal::report {

namespace {

using checklist::Topic;

constexpr Metric kProved[] = {Metric::kAccuracy, Metric::kBalancedAccuracy, Metric::kNll,
                              Metric::kBrier, Metric::kAurc};
constexpr Metric kHonesty[] = {Metric::kEce, Metric::kUce, Metric::kBcce, Metric::kAvu,
                               Metric::kDeltaU};

std::string unit_of(MetricUnit unit) { return unit == MetricUnit::kPercent ? "%" : ""; }

/// "accuracy 84.07% (82.30 to 85.90)".
std::string measured(const MetricInfo& info, const std::optional<double>& value,
                     const std::optional<Interval>& interval) {
  return std::string(info.label) + " " + metric_text(info, value) +
         (value ? unit_of(info.unit) : "") +
         (interval ? " (" + interval_text(info, interval) + ")" : "");
}

class EvidenceWriter {
 public:
  EvidenceWriter(const std::vector<Method>& methods, const MethodDifferences& differences,
                 const ReportOptions& options)
      : methods_(methods),
        differences_(differences),
        options_(options),
        run_(*methods.front().runs.front()) {}

  checklist::Evidence all() {
    deployed();
    model();
    data();
    conventions();
    performance();
    honesty();
    subgroups();
    outliers();
    failures();
    comparison();
    studies();
    return std::move(evidence_);
  }

 private:
  void add(Topic topic, const std::string& sentence) { evidence_[topic].push_back(sentence); }

  void add_card_rows(Topic topic, const std::vector<std::string>& names) {
    for (const CardRow& row : run_.record.card) {
      const bool is_wanted = std::any_of(names.begin(), names.end(), [&](const std::string& name) {
        return starts_with(row.name, name);
      });
      if (is_wanted) add(topic, row.name + ": " + row.value + ".");
    }
  }

  void deployed() {
    if (!run_.deployed) return;
    if (const std::optional<ModelIdentity>& identity = run_.deployed->identity) {
      add(Topic::kModel, "Name: " + identity->name + ", version " + identity->version +
                             (identity->made.empty() ? "" : ", made " + identity->made) + ".");
      add(Topic::kIntendedUse,
          std::string("Status: ") + name_of(kModelStatuses, identity->status) + ".");
      if (!identity->intended_use.empty()) {
        add(Topic::kIntendedUse, "Intended use: " + identity->intended_use);
      }
    }
    if (run_.deployed->has_stale_verdict) {
      add(Topic::kReferral,
          "The verdict of the model in use was fitted for another calibration and is not in "
          "force.");
    }
    if (!run_.deployed->verdict) return;
    const VerdictRecord& verdict = *run_.deployed->verdict;
    if (const std::optional<VerdictRates>& rates = verdict.achieved.id) {
      add(Topic::kReferral, "The model in use accepts " + percent(rates->share(rates->accepted)) +
                                " of " + counted(rates->samples, "test image") + ", refers " +
                                percent(rates->share(rates->referred)) + " and calls " +
                                percent(rates->share(rates->out_of_scope)) + " out of scope.");
    }
    for (const VerdictPromise& each : verdict_promises(verdict)) {
      add(Topic::kReferral,
          (each.state == PromiseState::kMissed ? "Promise missed: " : "Promise: ") +
              promise_text(each, run_.class_names) + ".");
    }
  }

  void model() {
    const bool has_name = run_.deployed && run_.deployed->identity;
    add(Topic::kModel,
        "Method: " + (has_name && !run_.record.method.empty() ? run_.record.method : run_.label) +
            ".");
    add_card_rows(Topic::kModel, {"Network", "Layers", "Input", "Standard deviation of the prior",
                                  "Hash of the weights"});
    add(Topic::kModel, run_.passes == 1
                           ? std::string("One pass of the network for each image.")
                           : std::to_string(run_.passes) +
                                 " stochastic passes of the network for each image; the prediction "
                                 "is the mean of their probabilities.");
    add(Topic::kOutput, "For each image a probability of each of " +
                            std::to_string(run_.class_names.size()) + " classes (" +
                            joined(run_.class_names) +
                            ") and an uncertainty U, the entropy of these probabilities in nats.");
    add_card_rows(Topic::kOutput, {"Verdict of single images"});
    add_card_rows(Topic::kTraining,
                  {"Training", "Stage ", "Hash of the data", "Hash of the recipe"});
    std::string seeds;
    const Method& method = methods_.front();
    for (const RunResult* run : method.runs) {
      if (run->record.seed)
        seeds += (seeds.empty() ? "" : ", ") + std::to_string(*run->record.seed);
    }
    if (!seeds.empty()) {
      add(Topic::kSeeds, counted(method.runs.size(), "run") + " of this method, with " +
                             (method.runs.size() == 1
                                  ? "the seed " + seeds + "."
                                  : "the seeds " + seeds + "; the first is described in detail."));
    } else if (method.runs.size() > 1) {
      add(Topic::kSeeds, counted(method.runs.size(), "run") + " of this method.");
    }
    add_card_rows(Topic::kSoftware, {"Program", "LibTorch", "Device", "Threads"});
    add(Topic::kSoftware, std::string("Numbers and charts: cubcal ") + kVersion + ".");
  }

  void data() {
    add_card_rows(Topic::kData, {"Training data", "Hash of the data"});
    for (const CardRow& row : run_.inputs) add(Topic::kData, row.name + ": " + row.value + ".");
    for (const SampleSet& set : run_.sets) {
      add(Topic::kPartitions,
          set.name + ": " + counted(set.samples, "image") +
              (set.groups ? " of " + counted(*set.groups, "group") + " such as patients" : "") +
              ".");
    }
    const auto shared = [&](const std::optional<std::size_t>& count, const std::string& noun) {
      if (!count) return;
      add(Topic::kPartitions,
          (*count == 0 ? "No " + noun + " is"
                       : counted(*count, noun) + (*count == 1 ? " is" : " are")) +
              " in both test and validation images" +
              (*count == 0 ? "." : ": the two are not disjoint at this level."));
    };
    shared(run_.shared_groups, "group");
    shared(run_.shared_files, "file");
    const std::vector<ClassRow> rows = class_table(run_.facts);
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const double share =
          static_cast<double>(rows[k].support) / static_cast<double>(run_.facts.samples);
      add(Topic::kClassCounts, "Class " + run_.class_names[k] + ": " +
                                   counted(rows[k].support, "test image") + " (" + percent(share) +
                                   ").");
    }
  }

  void conventions() {
    std::string names;
    for (const Metric metric : kProved) {
      names += std::string(names.empty() ? "" : ", ") + info_of(metric).label;
    }
    for (const Metric metric : kHonesty) names += std::string(", ") + info_of(metric).label;
    if (run_.studies.clinical) names += ", and clinical metrics class by class";
    add(Topic::kMetrics, "Given are: " + names + ".");
    add(Topic::kMetrics, std::to_string(options_.metrics.bins) +
                             " bins of equal width; an answer is certain where U is at or below " +
                             plot::readable_number(options_.metrics.uncertainty_threshold) +
                             " nats; NLL with probabilities floored at 1e-12.");
    add(Topic::kStatistics, percent(options_.bootstrap.level, 0) +
                                " percentile bootstrap intervals, " +
                                grouped(options_.bootstrap.replicates) + " replicates by " +
                                (run_.groups.empty() ? "image" : "group such as patient") +
                                ", seed " + std::to_string(options_.bootstrap.seed) + ".");
    if (!differences_.all.empty()) {
      add(Topic::kStatistics,
          "Methods are compared by a paired bootstrap on the same images; p-values are corrected "
          "over the methods by Holm's procedure.");
    }
    if (run_.audit && run_.audit->tests > 0) {
      add(Topic::kStatistics, "Gaps between subgroups: p-values by shuffling, corrected over all " +
                                  grouped(run_.audit->tests) + " gaps.");
    }
  }

  void add_metrics(Topic topic, const Metric* first, const Metric* last) {
    for (const Metric* metric = first; metric != last; ++metric) {
      const MetricInfo& info = info_of(*metric);
      if (!run_.values[*metric]) continue;
      add(topic, "Test images, without calibration: " +
                     measured(info, run_.values[*metric],
                              run_.intervals[static_cast<std::size_t>(*metric)]) +
                     ".");
    }
  }

  void performance() {
    add_metrics(Topic::kPerformance, std::begin(kProved), std::end(kProved));
    if (methods_.front().runs.size() > 1) {
      std::vector<std::optional<double>> values;
      for (const RunResult* run : methods_.front().runs) {
        values.push_back(run->values[Metric::kAccuracy]);
      }
      add(Topic::kPerformance, "Accuracy over " + counted(values.size(), "run") + ": " +
                                   spread_text(info_of(Metric::kAccuracy), spread_of(values)) +
                                   "% (mean ± standard deviation).");
    }
    clinical();
  }

  void clinical() {
    if (!run_.studies.clinical) return;
    const ClinicalStudy& study = *run_.studies.clinical;
    for (const ClinicalMetric metric :
         {ClinicalMetric::kAuroc, ClinicalMetric::kKappa, ClinicalMetric::kMatthews}) {
      const auto place = static_cast<std::size_t>(metric);
      add(Topic::kPerformance,
          "Test images: " +
              measured(info_of_label(clinical_infos()[place]), study.values.overall[place],
                       study.intervals.overall[place]) +
              ".");
    }
    for (std::size_t r = 0; r < study.options.rules.size(); ++r) {
      for (std::size_t k = 0; k < run_.class_names.size(); ++k) {
        std::string text;
        for (std::size_t m = 1; m < kPointMetricCount; ++m) {
          text += (text.empty() ? "" : ", ") + measured(info_of_label(point_infos()[m]),
                                                        study.values.points[r][k][m],
                                                        study.intervals.points[r][k][m]);
        }
        add(Topic::kClasses, run_.class_names[k] + " against the rest, " +
                                 rule_words(study.options.rules[r]) + ": " + text + ".");
      }
    }
  }

  void honesty() {
    add_metrics(Topic::kCalibration, std::begin(kHonesty), std::end(kHonesty));
    const Verdict verdict = verdict_of(run_);
    add(Topic::kCalibration, verdict.honesty);
    add(Topic::kReferral, verdict.referral);
    for (const PostHoc& each : run_.post_hoc) {
      add(Topic::kCalibration,
          std::string("After ") + method_name(each.calibration.method) + " (T high " +
              fixed(each.calibration.t_high, 3) + ", T low " + fixed(each.calibration.t_low, 3) +
              ", from validation images): NLL " +
              metric_text(info_of(Metric::kNll), each.values[Metric::kNll]) + ", ECE " +
              metric_text(info_of(Metric::kEce), each.values[Metric::kEce]) + "%, BCCE " +
              metric_text(info_of(Metric::kBcce), each.values[Metric::kBcce]) + "%.");
    }
    for (const std::string& sentence : verdict.beware) add(Topic::kLimits, sentence);
    add(Topic::kLimits,
        "Everything holds for images like the test images; labels are taken as true.");
  }

  void subgroups() {
    if (!run_.audit) return;
    const std::size_t accuracy = audit_place("accuracy");
    const MetricInfo& info = info_of(Metric::kAccuracy);
    for (const ColumnAudit& column : run_.audit->columns) {
      for (const GroupAudit& group : column.groups) {
        const std::string name =
            column.column + " = " + group.value + ", " + counted(group.samples, "image") + ": ";
        if (!group.is_compared) {
          add(Topic::kSubgroups, name + "too few to say.");
          continue;
        }
        const AuditGap& gap = group.gaps[accuracy];
        add(Topic::kSubgroups,
            name + measured(info, group.values[accuracy], group.intervals[accuracy]) +
                "; gap to the rest " + difference_text(info, gap.gap) + " points" +
                (gap.test ? ", corrected p " + fixed(gap.test->corrected, 3) : "") +
                (run_.audit->is_found(gap) ? " (found)." : "."));
      }
    }
  }

  void outliers() {
    for (const DetectionRow& row : run_.detection) {
      add(Topic::kOutliers, counted(*run_.outliers, "image") + " of no class told apart by " +
                                row.name + ": AUROC " + percent(row.result.metrics.auroc) + " (" +
                                percent_range(row.result.auroc) + ").");
    }
    for (const DetectorRecord& row : run_.detectors) {
      if (!row.all.auroc.value) continue;
      add(Topic::kOutliers,
          "Detector " + row.title + ": AUROC " + percent(*row.all.auroc.value) + ".");
    }
  }

  /// The commonest mistakes, and those made with certainty.
  void failures() {
    struct Confusion {
      std::uint64_t count;
      std::size_t label;
      std::size_t answer;
    };
    constexpr std::size_t kMostShown = 5;
    const std::size_t classes = run_.facts.classes;
    const std::vector<std::uint64_t> counts = confusion_matrix(run_.facts);
    std::vector<Confusion> mistakes;
    for (std::size_t y = 0; y < classes; ++y) {
      for (std::size_t k = 0; k < classes; ++k) {
        const std::uint64_t count = counts[y * classes + k];
        if (k != y && count > 0) mistakes.push_back({count, y, k});
      }
    }
    std::stable_sort(mistakes.begin(), mistakes.end(),
                     [](const Confusion& a, const Confusion& b) { return a.count > b.count; });
    if (mistakes.empty()) add(Topic::kFailures, "No test image was answered wrongly.");
    for (std::size_t i = 0; i < std::min(kMostShown, mistakes.size()); ++i) {
      add(Topic::kFailures, counted(mistakes[i].count, "image") + " of " +
                                run_.class_names[mistakes[i].label] + " called " +
                                run_.class_names[mistakes[i].answer] + ".");
    }
    const std::optional<double> certain = run_.values[Metric::kInaccurateCertain];
    if (certain) {
      add(Topic::kFailures, counted(static_cast<std::size_t>(*certain), "mistake") +
                                " made with certainty (U at or below " +
                                plot::readable_number(options_.metrics.uncertainty_threshold) +
                                " nats).");
    }
  }

  void comparison() {
    for (const MethodDifference& each : differences_.all) {
      for (const Metric metric : {Metric::kAccuracy, Metric::kNll, Metric::kEce}) {
        const MetricInfo& info = info_of(metric);
        const auto& interval = each.paired.intervals[static_cast<std::size_t>(metric)];
        if (!interval) continue;
        add(Topic::kComparison,
            run_.label + " minus " + each.label + " on the same images: " + info.label + " " +
                difference_text(info, each.paired.difference[metric]) +
                (info.unit == MetricUnit::kPercent ? " points (" : " (") +
                interval_text(info, interval) + ")" +
                (each.p_values[metric] ? ", p " + fixed(*each.p_values[metric], 3) : "") + ".");
      }
    }
    for (const std::string& reason : differences_.reasons) add(Topic::kComparison, reason);
  }

  void studies() {
    if (const auto& benefit = run_.studies.benefit) {
      const double level = options_.bootstrap.level;
      add(Topic::kBenefit, "Net benefit. " + best_words(benefit->curve, level));
      if (!benefit->policy.empty()) {
        add(Topic::kBenefit,
            "The policy: " + benefit->policy + ". " + gain_words(benefit->curve, level));
      }
    }
    if (const auto& prevalence = run_.studies.prevalence) {
      const MetricInfo& info = info_of(Metric::kAccuracy);
      const auto place = static_cast<std::size_t>(Metric::kAccuracy);
      add(Topic::kPrevalence, std::string("At the ") +
                                  (prevalence->is_estimated ? "estimated" : "stated") +
                                  " prevalence: " +
                                  measured(info, prevalence->there.values[Metric::kAccuracy],
                                           prevalence->there.intervals[place]) +
                                  ", with corrected probabilities " +
                                  measured(info, prevalence->corrected.values[Metric::kAccuracy],
                                           prevalence->corrected.intervals[place]) +
                                  ".");
    }
  }

  const std::vector<Method>& methods_;
  const MethodDifferences& differences_;
  const ReportOptions& options_;
  const RunResult& run_;
  checklist::Evidence evidence_;
};

}  // namespace

checklist::Evidence evidence_of(const std::vector<Method>& methods,
                                const MethodDifferences& differences,
                                const ReportOptions& options) {
  return EvidenceWriter(methods, differences, options).all();
}

}  // namespace cubcal::report
