#include "ood_text.h"

#include <iomanip>
#include <ostream>
#include <sstream>

#include "cubcal/conformal/verdict_promises.h"
#include "cubcal/core/check.h"
#include "cubcal/metrics/binomial.h"
#include "cubcal/metrics/selective.h"
#include "text_table.h"

namespace cubcal::app {

namespace {

std::string with_interval(double value, const Interval& interval) {
  return in_percent(value) + " [" + in_percent(interval.low) + ", " + in_percent(interval.high) +
         "]";
}

/// "4.8 [3.6, 6.3]": a share in percent with its 95% Clopper-Pearson interval.
std::string share_text(std::size_t count, std::size_t of) {
  if (of == 0) return "-";
  const double share = static_cast<double>(count) / static_cast<double>(of);
  return in_percent(share) + " [" + in_percent(lower_bound_of_share(count, of, 0.975)) + ", " +
         in_percent(upper_bound_of_share(count, of, 0.975)) + "]";
}

std::string promised_text(std::size_t count, std::size_t of) {
  return of == 0 ? "-" : fixed(100 * static_cast<double>(count) / static_cast<double>(of), 1);
}

const std::vector<double>& referred_shares() {
  static const std::vector<double> shares = {0, 0.1, 0.2, 0.3, 0.5, 0.7};
  return shares;
}

/// Four significant digits: a small threshold must not look like none.
std::string threshold_text(double value) {
  std::ostringstream text;
  text << std::setprecision(4) << value;
  return text.str();
}

/// Of ID images that nothing was fitted on: an error rate of all may hide a class that is missed.
void print_by_class(std::ostream& out, const std::vector<VerdictRates>& by_class,
                    const std::vector<std::string>& class_names) {
  if (by_class.empty()) return;
  TextTable table(
      {"achieved, by true class", "images", "out-of-scope", "refer", "accept", "of these wrong"});
  for (std::size_t label = 0; label < by_class.size(); ++label) {
    const VerdictRates& rates = by_class[label];
    table.add({class_names[label], std::to_string(rates.samples),
               std::to_string(rates.out_of_scope), std::to_string(rates.referred),
               std::to_string(rates.accepted), std::to_string(rates.errors)});
  }
  out << '\n' << table;
}

std::string level_text(const ConformalRule& sets) {
  return significant(100 - 100 * sets.options.alpha, 6) + "%";
}

/// How often sets were to hold the true class, and how often they did.
void print_sets(std::ostream& out, const ConformalRule& rule,
                const std::optional<SetSummary>& achieved) {
  out << "Sets by " << score_name(rule.options.score.score)
      << (rule.options.by_class ? ", each class by itself" : "") << ": " << level_text(rule)
      << " were to hold the true class";
  if (achieved) {
    out << "; of other ID images " << share_text(achieved->covered.count, achieved->covered.of)
        << "% do, with " << share_text(achieved->by_size[1], achieved->samples)
        << "% of one class and " << share_text(achieved->by_size[0], achieved->samples)
        << "% of none";
  }
  out << ".\n";
}

void print_costs(std::ostream& out, const VerdictPolicy& policy) {
  const std::optional<VerdictCosts>& costs = policy.options.costs;
  if (!costs) return;
  out << "The threshold costs least on validation: "
      << fixed(mean_cost(*costs, policy.validation_by_class), 3) << " an image, where referring all"
      << " costs " << to_text(costs->referral) << ". This is not a promise";
  if (!policy.achieved.by_class.empty()) {
    out << "; other ID images cost " << fixed(mean_cost(*costs, policy.achieved.by_class), 3);
  }
  out << ".\n";
}

void print_probes(std::ostream& out, const VerdictPolicy& policy) {
  TextTable table({"made from training images", "out-of-scope", "refer", "accept"});
  for (const ProbeRates& each : policy.probes) {
    const VerdictRates& rates = each.rates;
    table.add({each.name, std::to_string(rates.out_of_scope), std::to_string(rates.referred),
               std::to_string(rates.accepted)});
  }
  out << '\n' << table;
}

}  // namespace

void print_ood_table(std::ostream& out, const OodTable& table) {
  TextTable all({"detector", "AUROC", "AUPR", "FPR95"});
  for (const OodTableRow& row : table.rows) {
    const DetectionMetrics& metrics = row.all.metrics;
    all.add({row.row.title, with_interval(metrics.auroc, row.all.auroc),
             with_interval(metrics.aupr, row.all.aupr),
             with_interval(metrics.fpr95, row.all.fpr95)});
  }
  out << all;
  if (!table.categories.empty()) {
    std::vector<std::string> header{"AUROC against"};
    for (const OodCategory& each : table.categories) {
      header.push_back(each.name + " (" + std::to_string(each.members.size()) + ")");
    }
    TextTable by_category(header);
    for (const OodTableRow& row : table.rows) {
      std::vector<std::string> cells{row.row.title};
      for (const DetectionResult& each : row.by_category) {
        cells.push_back(with_interval(each.metrics.auroc, each.auroc));
      }
      by_category.add(cells);
    }
    out << '\n' << by_category;
  }
  out << "\nPercent, with " << significant(100 * table.bootstrap.level, 6)
      << "% percentile bootstrap intervals (" << table.bootstrap.replicates << " replicates by "
      << (table.grouped ? "group" : "sample") << ", seed " << table.bootstrap.seed
      << "). OOD is positive; FPR95: share of ID images above the threshold that catches 95% of "
         "OOD.\n";
}

void print_verdict(std::ostream& out, const FittedVerdict& verdict,
                   const std::vector<std::string>& class_names) {
  const VerdictPolicy& policy = verdict.policy;
  const VerdictRates& promise = policy.validation;
  const VerdictOutcome& achieved = policy.achieved;
  out << "Verdict by " << policy.detector
      << ": out-of-scope where p <= " << fixed(policy.options.alpha, 3);
  if (policy.sets) {
    out << ", else accept where the prediction set at " << level_text(*policy.sets)
        << " holds the answer alone, else refer";
  } else {
    out << ", refer where U > " << threshold_text(policy.uncertainty) << " nats";
  }
  if (policy.options.risk_target) {
    out << ", which keeps errors among accepted images at most at "
        << fixed(*policy.options.risk_target, 3) << " on validation";
    if (policy.options.risk_confidence) {
      out << " with confidence " << fixed(*policy.options.risk_confidence, 2);
    }
  }
  out << ".\n";
  TextTable table({"% of images", "promised", "achieved", "outliers"});
  const auto add = [&](const char* name, const std::string& promised, auto count, auto of) {
    table.add(
        {name, promised,
         achieved.id ? share_text(count(*achieved.id), of(*achieved.id)) : std::string("-"),
         achieved.ood ? share_text(count(*achieved.ood), of(*achieved.ood)) : std::string("-")});
  };
  const auto samples = [](const VerdictRates& rates) { return rates.samples; };
  add(
      "out-of-scope", in_percent(policy.options.alpha),
      [](const VerdictRates& rates) { return rates.out_of_scope; }, samples);
  add(
      "refer", promised_text(promise.referred, promise.samples),
      [](const VerdictRates& rates) { return rates.referred; }, samples);
  add(
      "accept", promised_text(promise.accepted, promise.samples),
      [](const VerdictRates& rates) { return rates.accepted; }, samples);
  add(
      "errors among accepted", promised_text(promise.errors, promise.accepted),
      [](const VerdictRates& rates) { return rates.errors; },
      [](const VerdictRates& rates) { return rates.accepted; });
  out << table
      << "Promised: on validation. Achieved: on other ID images, with 95% binomial "
         "intervals.\n";
  if (policy.sets) print_sets(out, *policy.sets, verdict.sets);
  print_by_class(out, achieved.by_class, class_names);
  for (const VerdictPromise& each : verdict_promises(policy)) {
    if (each.label) out << "Promised on validation: " << promise_text(each, class_names) << ".\n";
  }
  print_costs(out, policy);
  print_probes(out, policy);
}

void print_referral(std::ostream& out, OodRun& run, const ImageSplit& split) {
  std::vector<std::string> header{"accuracy (%) of the rest, referring"};
  for (const double share : referred_shares()) header.push_back(percent(share, 0));
  TextTable table(header);
  for (const ReferralCurve& curve : referral_curves(run, split)) {
    std::vector<std::string> cells{"by " + curve.name};
    for (const double share : referred_shares()) {
      cells.push_back(in_percent(accuracy_at_coverage(curve.risk, 1 - share), 2));
    }
    table.add(cells);
  }
  out << table;
}

}  // namespace cubcal::app
