#include "cubcal/report/verdict.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "cubcal/conformal/verdict_promises.h"
#include "cubcal/core/check.h"
#include "cubcal/metrics/classification.h"
#include "cubcal/plot/svg.h"
#include "cubcal/report/numbers.h"

namespace cubcal::report {

namespace {

const std::optional<Interval>& interval_of(const RunResult& run, Metric metric) {
  return run.intervals[static_cast<std::size_t>(metric)];
}

double value_of(const MetricValues& values, Metric metric) { return values[metric].value_or(0); }

std::string quoted(const std::string& name) { return "“" + name + "”"; }

std::string samples_text(const RunResult& run) {
  std::string text = counted(run.facts.samples, "test image");
  if (!run.groups.empty()) {
    const std::set<std::string> groups(run.groups.begin(), run.groups.end());
    if (groups.size() < run.groups.size()) {
      text += " in " + counted(groups.size(), "group") + " such as patients";
    }
  }
  return text;
}

/// What the verdict speaks of: the answers of the model in use, else the network's own.
struct Answers {
  const SampleFacts& facts;
  const MetricValues& values;
  std::optional<double> error_auroc;
};

Answers answers_of(const RunResult& run) {
  if (const PostHoc* in_use = run.calibration_in_use()) {
    return {in_use->facts, in_use->values, auroc_of_errors(in_use->facts)};
  }
  return {run.facts, run.values, run.error_auroc};
}

struct CommonestClass {
  std::string name;
  double share;
};

CommonestClass commonest_class(const RunResult& run) {
  const std::vector<ClassRow> rows = class_table(run.facts);
  const auto largest =
      std::max_element(rows.begin(), rows.end(),
                       [](const ClassRow& a, const ClassRow& b) { return a.support < b.support; });
  return {run.class_names[static_cast<std::size_t>(largest - rows.begin())],
          static_cast<double>(largest->support) / static_cast<double>(run.facts.samples)};
}

std::string accuracy_text(const RunResult& run) {
  std::string text = "It was right on " + percent(value_of(run.values, Metric::kAccuracy)) +
                     " of " + samples_text(run);
  if (const auto& interval = interval_of(run, Metric::kAccuracy)) {
    // Of nothing but right answers every resample is the same: counting them says more.
    const bool is_one_kind = interval->low == interval->high;
    const auto samples = static_cast<double>(run.facts.samples);
    text +=
        " (95% interval " +
        percent_range(is_one_kind ? wilson_interval(interval->low * samples, samples) : *interval) +
        ")";
  }
  const CommonestClass commonest = commonest_class(run);
  text += "; always saying " + quoted(commonest.name) + " would be right on " +
          percent(commonest.share) + ". Averaged over the classes it was right on " +
          percent(value_of(run.values, Metric::kBalancedAccuracy)) + ".";
  return text;
}

std::string confidence_text(const Answers& answers) {
  double confidence = 0;
  for (const double c : answers.facts.confidence) {
    confidence += c / static_cast<double>(answers.facts.samples);
  }
  const double gap = confidence - value_of(answers.values, Metric::kAccuracy);
  const double ece = value_of(answers.values, Metric::kEce);
  constexpr double kSmall = 0.02;
  std::string text;
  if (std::abs(gap) <= kSmall && ece <= 2 * kSmall) {
    text = "Its confidence is honest: ";
  } else if (std::abs(gap) <= kSmall) {
    text = "Its confidence is right on average but not everywhere: ";
  } else {
    text = gap > 0 ? "It is overconfident: " : "It is underconfident: ";
  }
  return text + "it is " + percent(confidence) + " sure on average and " +
         (gap > kSmall ? "only " : "") + percent(value_of(answers.values, Metric::kAccuracy)) +
         " right (ECE " + percent(ece) + ").";
}

std::string certainty_text(const Answers& answers) {
  const double right = value_of(answers.values, Metric::kAccurateCertain);
  const double wrong = value_of(answers.values, Metric::kInaccurateCertain);
  const double unsure_right = value_of(answers.values, Metric::kAccurateUncertain);
  const double unsure_wrong = value_of(answers.values, Metric::kInaccurateUncertain);
  const double certain = right + wrong;
  const double unsure = unsure_right + unsure_wrong;
  const std::string bound = plot::readable_number(answers.facts.options.uncertainty_threshold);
  if (certain == 0) return " None of its answers was certain (U at or below " + bound + " nats).";
  std::string text = " It was certain (U at or below " + bound + " nats) of " +
                     percent(certain / (certain + unsure), 0) + " of its answers, and " +
                     percent(right / certain) + " of those were right";
  if (unsure > 0) text += ", of the others " + percent(unsure_right / unsure);
  return text + ".";
}

std::string ranking_text(const Answers& answers) {
  if (!answers.error_auroc) {
    return value_of(answers.values, Metric::kAccuracy) > 0.5
               ? " It made no mistakes here."
               : " It made nothing but mistakes here.";
  }
  const double auroc = *answers.error_auroc;
  const char* word = auroc >= 0.9   ? "well"
                     : auroc >= 0.8 ? "fairly well"
                     : auroc >= 0.7 ? "moderately"
                                    : "poorly";
  return std::string(" Its uncertainty tells its mistakes apart ") + word +
         ": a wrong answer is more uncertain than a right one in " + percent(auroc, 0) +
         " of pairs (chance: 50%).";
}

std::string referral_text(const RunResult& run) {
  const Referral& referral = run.referral;
  const std::string target = percent(referral.target, 0);
  const char* source = referral.from_validation ? "validation images" : "these very test images";
  if (!referral.threshold) {
    return "No share of its answers keeps the error rate at or below " + target + " on " + source +
           ": every case needs a person.";
  }
  const std::string threshold = plot::readable_number(*referral.threshold) + " nats";
  std::string text = "To keep the error rate among its answers at or below " + target;
  if (referral.share_referred == 0) {
    text += " no test image needs to be referred to a person: all have U at or below " + threshold +
            ", the threshold found on " + source + ".";
  } else {
    text += ", refer " + percent(referral.share_referred, 0) +
            " of the cases to a person: those with U above " + threshold +
            ", a threshold found on " + source + ".";
  }
  const double eta = run.facts.options.uncertainty_threshold;
  if (*referral.threshold != eta) {
    text += " It is another threshold than η = " + plot::readable_number(eta) +
            " nats, up to which this page calls an answer certain, and which refers nobody.";
  }
  if (referral.answered == 0) return text + " No test image would be answered.";
  text += " On the test images " + grouped(referral.errors) + " of " +
          counted(referral.answered, "answer") + " were then wrong (" +
          percent(static_cast<double>(referral.errors) / static_cast<double>(referral.answered)) +
          ", 95% interval " + percent_range(*referral.error_rate) + ").";
  if (!referral.from_validation) {
    text += " A threshold found on the images it is tried on flatters; give validation logits.";
  }
  return text;
}

/// Of a model in use its own rule, not one that the page finds.
std::string rule_text(const VerdictRecord& verdict) {
  std::string text = "The model in use refers answers with U above " +
                     significant(verdict.uncertainty, 4) +
                     " nats to a person, and calls images out of scope that are unlike its "
                     "training images.";
  const std::optional<VerdictRates>& rates = verdict.achieved.id;
  if (!rates || rates->samples == 0) return text;
  text += " Of " + counted(rates->samples, "test image") + " it refers " +
          percent(rates->share(rates->referred), 0) + " and calls " +
          percent(rates->share(rates->out_of_scope), 0) + " out of scope";
  if (!rates->risk()) return text + " and accepts none.";
  text += "; of the " + grouped(rates->accepted) + " it accepts ";
  return text + grouped(rates->errors) + (rates->errors == 1 ? " is" : " are") + " wrong (" +
         percent(*rates->risk()) + ").";
}

class Warnings {
 public:
  explicit Warnings(const RunResult& run) : run_(run) {}

  std::vector<std::string> all() {
    stale_verdict();
    worse_than_one_answer();
    certain_mistakes();
    shared_patients();
    missed_promises();
    missed_target();
    outliers();
    weak_classes();
    weak_subgroup();
    price_of_calibration();
    small_or_dependent_samples();
    return std::move(sentences_);
  }

 private:
  void stale_verdict() {
    if (!run_.deployed || !run_.deployed->has_stale_verdict) return;
    add("The verdict of the model in use was fitted for another calibration and is not in force: "
        "images are refused until it is fitted again.");
  }

  void worse_than_one_answer() {
    if (value_of(run_.values, Metric::kAccuracy) >= commonest_class(run_).share) return;
    add("One answer to all images would be right more often.");
  }

  void certain_mistakes() {
    const MetricValues& values = answers_of(run_).values;
    const double certain = value_of(values, Metric::kInaccurateCertain);
    const double wrong = certain + value_of(values, Metric::kInaccurateUncertain);
    if (certain == 0) return;
    add(grouped(static_cast<std::size_t>(certain)) + " of its " +
        counted(static_cast<std::size_t>(wrong), "mistake") + (certain == 1 ? " was" : " were") +
        " made with certainty: nothing in the uncertainty warns of them.");
  }

  void shared_patients() {
    if (run_.validation_is_test) {
      add("Test and validation images are the same file: thresholds and calibrations are tried on "
          "the images they were found on, which flatters.");
      return;
    }
    if (run_.shared_groups.value_or(0) == 0) return;
    add(counted(*run_.shared_groups, "group") + " such as patients " +
        (*run_.shared_groups == 1 ? "is" : "are") +
        " in both test and validation images: thresholds and calibrations are then tried on "
        "patients they were found on, which flatters.");
  }

  void missed_promises() {
    if (!run_.deployed || !run_.deployed->verdict) return;
    for (const VerdictPromise& each : verdict_promises(*run_.deployed->verdict)) {
      if (each.state != PromiseState::kMissed) continue;
      add("A promise of the model in use is missed: " + promise_text(each, run_.class_names) + ".");
    }
  }

  void missed_target() {
    const Referral& referral = run_.referral;
    const bool has_own_rule = run_.deployed && run_.deployed->verdict;
    if (has_own_rule || !referral.from_validation || !referral.error_rate) return;
    const double rate =
        static_cast<double>(referral.errors) / static_cast<double>(referral.answered);
    if (rate <= referral.target) return;
    add("The error rate asked for on validation images was missed on the test images (" +
        percent(rate) + " instead of " + percent(referral.target, 0) +
        (referral.error_rate->low > referral.target ? "), by more than chance explains."
                                                    : "), which chance may explain."));
  }

  void outliers() {
    if (run_.deployed && run_.deployed->verdict) {
      const std::optional<VerdictRates>& rates = run_.deployed->verdict->achieved.ood;
      if (!rates || rates->samples == 0) return;
      add("Of " + counted(rates->samples, "image") + " that show none of its classes, " +
          percent(rates->share(rates->accepted), 0) + " are accepted as if they did.");
      return;
    }
    if (!run_.outliers || !run_.referral.threshold) return;
    add("Of " + counted(*run_.outliers, "image") + " that show none of its classes, " +
        percent(run_.outliers_answered, 0) +
        " would be answered as if they did, at the threshold above.");
  }

  std::string name_of(const ClassRow& row, const std::vector<ClassRow>& rows) const {
    return quoted(run_.class_names[static_cast<std::size_t>(&row - rows.data())]);
  }

  void weak_classes() {
    const std::vector<ClassRow> rows = class_table(run_.facts);
    const double weak = value_of(run_.values, Metric::kAccuracy) - 0.1;
    const ClassRow* weakest = nullptr;
    std::vector<const ClassRow*> mostly_missed;
    for (const ClassRow& row : rows) {
      if (!row.recall || *row.recall > weak) continue;
      if (!weakest || *row.recall < *weakest->recall) weakest = &row;
      if (*row.recall < 0.5) mostly_missed.push_back(&row);
    }
    if (mostly_missed.size() > 1) {
      std::string list;
      for (const ClassRow* row : mostly_missed) {
        const auto hits = std::llround(*row->recall * static_cast<double>(row->support));
        list += (list.empty() ? "" : ", ") + name_of(*row, rows) + " (" +
                grouped(static_cast<std::size_t>(hits)) + " of " + grouped(row->support) + ")";
      }
      add("Recognised in less than half of their images: " + list + ".");
    } else if (weakest) {
      add("Class " + name_of(*weakest, rows) + " is recognised in " +
          (*weakest->recall > 0 ? "only " + percent(*weakest->recall) : std::string("none")) +
          " of its " + counted(weakest->support, "image") + ".");
    }
  }

  void weak_subgroup() {
    if (!run_.audit) return;
    const std::size_t accuracy = audit_place("accuracy");
    const GroupAudit* weakest = nullptr;
    std::string column;
    for (const ColumnAudit& each : run_.audit->columns) {
      for (const GroupAudit& group : each.groups) {
        if (!group.is_compared || !run_.audit->is_found(group.gaps[accuracy])) continue;
        if (*group.gaps[accuracy].gap >= 0) continue;
        if (weakest && *group.values[accuracy] >= *weakest->values[accuracy]) continue;
        weakest = &group;
        column = each.column;
      }
    }
    if (!weakest) return;
    add("Where " + column + " is " + quoted(weakest->value) + " it was right on only " +
        percent(*weakest->values[accuracy]) + " of " + counted(weakest->samples, "image") +
        ", elsewhere on " + percent(*weakest->rest[accuracy]) + ".");
  }

  void price_of_calibration() {
    const PostHoc* post_hoc = run_.chosen_calibration();
    const bool is_used = !run_.deployed || run_.deployed->calibration;
    if (!post_hoc || !is_used) return;
    const std::string name = method_name(post_hoc->calibration.method);
    const auto rises = [&](Metric metric) {
      return value_of(post_hoc->values, metric) > value_of(run_.values, metric) * 1.01;
    };
    std::string price;
    if (rises(Metric::kNll)) {
      price = "NLL from " + fixed(value_of(run_.values, Metric::kNll), 3) + " to " +
              fixed(value_of(post_hoc->values, Metric::kNll), 3);
    }
    if (rises(Metric::kEce)) {
      price += std::string(price.empty() ? "" : " and ") + "ECE from " +
               percent(value_of(run_.values, Metric::kEce)) + " to " +
               percent(value_of(post_hoc->values, Metric::kEce));
    }
    if (price.empty()) return;
    const std::string before = percent(value_of(run_.values, Metric::kBcce), 2);
    const std::string after = percent(value_of(post_hoc->values, Metric::kBcce), 2);
    add("The calibration " + name +
        (before == after ? " leaves BCCE at " + before
                         : " moves BCCE from " + before + " to " + after) +
        " and raises " + price + ".");
  }

  void small_or_dependent_samples() {
    const auto& interval = interval_of(run_, Metric::kAccuracy);
    if (interval && interval->high - interval->low > 0.05) {
      add("The test set is small: its accuracy is known to " +
          fixed(50 * (interval->high - interval->low), 1) +
          " points either way. Differences of less than that mean little.");
    }
    if (run_.groups.empty()) {
      add("The logits name no groups (patients), so every image counts as independent: intervals "
          "are too narrow if several images show the same patient.");
    }
    if (run_.passes == 1) {
      add("There is a single pass, so that nothing is said about the part of the uncertainty that "
          "more training data could remove.");
    }
  }

  void add(const std::string& sentence) { sentences_.push_back(sentence); }

  const RunResult& run_;
  std::vector<std::string> sentences_;
};

}  // namespace

Verdict verdict_of(const RunResult& run) {
  const Answers answers = answers_of(run);
  return {accuracy_text(run),
          confidence_text(answers) + certainty_text(answers) + ranking_text(answers),
          run.deployed && run.deployed->verdict ? rule_text(*run.deployed->verdict)
                                                : referral_text(run),
          Warnings(run).all()};
}

}  // namespace cubcal::report
