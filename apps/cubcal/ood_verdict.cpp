#include "ood_verdict.h"

#include <ATen/ATen.h>

#include <iomanip>
#include <ostream>
#include <sstream>

#include "cubcal/metrics/binomial.h"
#include "cubcal/metrics/selective.h"
#include "cubcal_nn/ood/verdict_folder.h"
#include "number_text.h"
#include "tensor_values.h"
#include "text_table.h"

namespace cubcal::app {

namespace {

using Json = nlohmann::ordered_json;

/// What a policy is fitted on or held against.
struct Judged {
  Judged(OodRun& run, const std::string& detector, const ImageSplit& split)
      : scores(run.scores({detector, ""}, split.name)) {
    const Predictive& predictive = run.as_predicted(split.name);
    const std::vector<std::int64_t> labels = values_of(split.labels);
    uncertainty = predictive.entropy;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      correct.push_back(predictive.predicted[i] == labels[i]);
    }
  }
  HeldOutImages view() const { return {scores, uncertainty, correct}; }

  std::vector<double> scores;
  std::vector<double> uncertainty;
  std::vector<std::uint8_t> correct;
};

/// "4.8 [3.6, 6.3]": a share in percent with its 95% Clopper-Pearson interval.
std::string share_text(std::size_t count, std::size_t of) {
  if (of == 0) return "-";
  const double share = static_cast<double>(count) / static_cast<double>(of);
  return fixed(100 * share, 1) + " [" + fixed(100 * lower_bound_of_share(count, of, 0.975), 1) +
         ", " + fixed(100 * upper_bound_of_share(count, of, 0.975), 1) + "]";
}

std::string promised_text(std::size_t count, std::size_t of) {
  return of == 0 ? "-" : fixed(100 * static_cast<double>(count) / static_cast<double>(of), 1);
}

Json rates_json(const VerdictRates& rates) {
  const std::optional<double> risk = rates.risk();
  return {{"samples", rates.samples},   {"accepted", rates.accepted},
          {"referred", rates.referred}, {"out_of_scope", rates.out_of_scope},
          {"errors", rates.errors},     {"risk", risk ? Json(*risk) : Json()}};
}

struct ReferralCurve {
  std::string name;
  std::vector<double> risk;  ///< see risk_coverage
};

std::vector<ReferralCurve> referral_curves(OodRun& run, const ImageSplit& split) {
  const std::vector<std::int64_t> labels = values_of(split.labels);
  std::vector<ReferralCurve> curves;
  for (const bool dts : {false, true}) {
    const SampleFacts facts =
        sample_facts(dts ? run.with_dts(split.name) : run.plain(split.name), labels, {});
    for (const bool by_confidence : {false, true}) {
      const auto order =
          order_by_certainty(facts, by_confidence ? Certainty::kConfidence : Certainty::kEntropy);
      curves.push_back(
          {std::string(dts ? "DTS " : "") + (by_confidence ? "confidence" : "uncertainty"),
           risk_coverage(facts, order)});
    }
  }
  return curves;
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

}  // namespace

void check_held_out(const ImageSet& set, const VerdictFit& fit) {
  const ImageSplit& held_out = set.split(fit.threshold_split);
  if (held_out.outliers) throw ArgumentError("thresholds are fitted on ID images, not on outliers");
  check_held_out_count(static_cast<std::size_t>(held_out.size()), fit.options.alpha);
}

FittedVerdict fit_and_attach(OodRun& run, const std::string& folder, const LoadedModel& model,
                             const ImageSet& set, const OodRunOptions& run_options,
                             const VerdictFit& fit, const std::string& id_split,
                             const std::string& ood_split) {
  const OodRow row{fit.detector, ""};
  run.fit({row}, fit.fit_split);
  const ImageSplit& held_out = set.split(fit.threshold_split);
  const Judged judged(run, fit.detector, held_out);
  VerdictModel verdict;
  verdict.policy = fit_verdict(judged.view(), model.description.operating_point().eta, fit.options);
  verdict.policy.detector = fit.detector;
  verdict.policy.features = run_options.features;
  verdict.policy.passes = run_options.mc.passes;
  verdict.policy.calibration = calibration_hash(model.description.calibration);

  FittedVerdict result;
  result.policy = verdict.policy;
  if (set.has_split(id_split) && id_split != fit.threshold_split && id_split != fit.fit_split) {
    result.id =
        verdict_rates(verdict.policy, Judged(run, fit.detector, set.split(id_split)).view());
  }
  if (set.has_split(ood_split)) {
    result.ood =
        verdict_rates(verdict.policy, Judged(run, fit.detector, set.split(ood_split)).view());
  }
  verdict.detector = run.release(fit.detector);
  attach_verdict(folder, verdict);
  return result;
}

void print_verdict(std::ostream& out, const FittedVerdict& verdict) {
  const VerdictPolicy& policy = verdict.policy;
  const VerdictRates& promise = policy.validation;
  out << "Verdict by " << policy.detector
      << ": out-of-scope where p <= " << fixed(policy.options.alpha, 3) << ", refer where U > "
      << threshold_text(policy.uncertainty) << " nats";
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
    table.add({name, promised,
               verdict.id ? share_text(count(*verdict.id), of(*verdict.id)) : std::string("-"),
               verdict.ood ? share_text(count(*verdict.ood), of(*verdict.ood)) : std::string("-")});
  };
  const auto samples = [](const VerdictRates& rates) { return rates.samples; };
  add(
      "out-of-scope", fixed(100 * policy.options.alpha, 1),
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
}

Json verdict_json(const FittedVerdict& verdict) {
  Json json = Json::parse(verdict_to_json(verdict.policy));
  json["achieved"] = verdict.id ? rates_json(*verdict.id) : Json();
  json["outliers"] = verdict.ood ? rates_json(*verdict.ood) : Json();
  return json;
}

void print_referral(std::ostream& out, OodRun& run, const ImageSplit& split) {
  std::vector<std::string> header{"accuracy (%) of the rest, referring"};
  for (const double share : referred_shares()) header.push_back(fixed(100 * share, 0) + "%");
  TextTable table(header);
  for (const ReferralCurve& curve : referral_curves(run, split)) {
    std::vector<std::string> cells{"by " + curve.name};
    for (const double share : referred_shares()) {
      cells.push_back(fixed(100 * accuracy_at_coverage(curve.risk, 1 - share), 2));
    }
    table.add(cells);
  }
  out << table;
}

Json referral_json(OodRun& run, const ImageSplit& split) {
  constexpr int steps = 50;
  Json shares = Json::array();
  for (int i = 0; i < steps; ++i) shares.push_back(static_cast<double>(i) / steps);
  Json json = {{"referred", shares}};
  for (const ReferralCurve& curve : referral_curves(run, split)) {
    Json accuracy = Json::array();
    for (const Json& share : shares) {
      accuracy.push_back(accuracy_at_coverage(curve.risk, 1 - share.get<double>()));
    }
    json["accuracy by " + curve.name] = accuracy;
  }
  return json;
}

}  // namespace cubcal::app
