#include "cubcal_nn/experiment/ood_verdict.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cubcal/calibration/calibration_hash.h"
#include "cubcal/conformal/verdict_promises.h"
#include "cubcal/core/check.h"
#include "cubcal/core/counted.h"
#include "cubcal/core/named_values.h"
#include "cubcal/io/json_fields.h"
#include "cubcal/metrics/binomial.h"
#include "cubcal/metrics/selective.h"
#include "cubcal_nn/batches/tensor_values.h"
#include "cubcal_nn/ood/probes.h"
#include "cubcal_nn/ood/verdict_folder.h"

namespace cubcal {

namespace {

using Json = nlohmann::ordered_json;

/// What a policy is fitted on or held against.
struct Judged {
  Judged(OodRun& run, const std::string& detector, const ImageSplit& split)
      : scores(run.scores({detector, ""}, split.name)), predictive(run.as_predicted(split.name)) {
    labels = values_of(split.labels);
    for (std::size_t i = 0; i < labels.size(); ++i) {
      correct.push_back(predictive.predicted[i] == labels[i]);
    }
  }
  HeldOutImages view() const { return {scores, predictive.entropy, correct, labels, &predictive}; }

  std::vector<double> scores;
  const Predictive& predictive;
  std::vector<std::uint8_t> correct;
  std::vector<std::int64_t> labels;
};

Json rates_json(const VerdictRates& rates) {
  const std::optional<double> risk = rates.risk();
  return {{"samples", rates.samples},   {"accepted", rates.accepted},
          {"referred", rates.referred}, {"out_of_scope", rates.out_of_scope},
          {"errors", rates.errors},     {"risk", risk ? Json(*risk) : Json()}};
}

Json sets_json(const SetSummary& sets) {
  return {{"samples", sets.samples},
          {"covered", sets.covered.count},
          {"coverage", json_or_null(sets.covered.share())},
          {"interval", {sets.covered.low, sets.covered.high}},
          {"by_size", sets.by_size}};
}

constexpr NamedValue<ProbeRule> kProbeRules[] = {{"refuse", ProbeRule::kRefuse},
                                                 {"warn", ProbeRule::kWarn}};
constexpr std::int64_t kProbeImages = 30;        ///< of each kind
constexpr std::size_t kProbesPerAccepted = 100;  ///< one of so many may be accepted
constexpr double kBoundLevel = 0.975;            ///< of either side of an interval

/// Images all over a split.
at::Tensor spread_images(const ImageSplit& split, std::int64_t count) {
  const std::int64_t taken = std::min(count, split.size());
  const at::Tensor places = at::arange(taken, at::kLong) * split.size() / taken;
  return split.images.index_select(0, places.to(at::kLong));
}

std::vector<ProbeRates> judge_probes(OodRun& run, const VerdictPolicy& policy,
                                     const std::vector<Probe>& probes) {
  std::vector<ProbeRates> all;
  for (const Probe& probe : probes) {
    const OodRun::Shown shown = run.show(policy.detector, probe.images, probe.title);
    const std::vector<std::uint8_t> wrong(shown.scores.size(), 0);
    all.push_back(
        {probe.name,
         verdict_rates(policy,
                       {shown.scores, shown.predictive.entropy, wrong, {}, &shown.predictive})});
  }
  return all;
}

/// What a policy accepts of the probes; empty where that is next to nothing.
std::string accepted_probes(const std::vector<Probe>& probes,
                            const std::vector<ProbeRates>& rates) {
  std::size_t images = 0;
  std::size_t accepted = 0;
  std::string text;
  for (std::size_t i = 0; i < rates.size(); ++i) {
    images += rates[i].rates.samples;
    accepted += rates[i].rates.accepted;
    if (rates[i].rates.accepted == 0) continue;
    text += (text.empty() ? "" : ", ") + std::to_string(rates[i].rates.accepted) + " of " +
            std::to_string(rates[i].rates.samples) + " " + probes[i].title;
  }
  return accepted * kProbesPerAccepted > images ? text : "";
}

std::string with_bounds(std::size_t count, std::size_t of) {
  return percent(static_cast<double>(count) / static_cast<double>(of)) + " [" +
         in_percent(lower_bound_of_share(count, of, kBoundLevel)) + ", " +
         in_percent(upper_bound_of_share(count, of, kBoundLevel)) + "]";
}

/// What sets hold of ID images that nothing was fitted on.
SetSummary summarise_judged(const VerdictPolicy& policy, const Judged& judged) {
  const std::vector<std::uint8_t> sets = prediction_sets(*policy.sets, judged.predictive, {});
  std::vector<std::size_t> everyone(judged.predictive.samples);
  std::iota(everyone.begin(), everyone.end(), std::size_t{0});
  return summarise_sets("all", sets, policy.sets->classes, judged.labels, everyone,
                        2 * kBoundLevel - 1);
}

std::vector<std::string> set_warnings(const VerdictPolicy& policy,
                                      const std::optional<SetSummary>& sets,
                                      const std::vector<std::string>& class_names) {
  std::vector<std::string> warnings;
  if (!policy.sets) return warnings;
  const ConformalRule& rule = *policy.sets;
  const std::vector<ConformalCell>& cells = rule.cells.at("");
  for (std::size_t k = 0; k < cells.size(); ++k) {
    if (!std::isinf(cells[k].threshold)) continue;
    warnings.push_back("no set leaves out " + class_names[k] + ", which has " +
                       counted(cells[k].samples, "validation image") + " and takes " +
                       std::to_string(fewest_samples(rule.options.alpha)) +
                       ": only answers of this class can be accepted");
  }
  const double promised = 1 - rule.options.alpha;
  if (sets && sets->covered.high < promised) {
    warnings.push_back("the promise is missed: " + percent(promised) +
                       " of sets were to hold the true class, and " +
                       with_bounds(sets->covered.count, sets->covered.of) +
                       " of those of other ID images do");
  }
  return warnings;
}

/// Of what was promised and what ID images and outliers that nothing was fitted on met.
std::vector<std::string> warnings_of(const VerdictPolicy& policy,
                                     const std::optional<SetSummary>& sets,
                                     const std::vector<std::string>& class_names) {
  std::vector<std::string> warnings;
  const double alpha = policy.options.alpha;
  const std::size_t held_out = policy.id_scores.size();
  const std::size_t needed = held_out_for_steady_share(alpha);
  if (held_out < needed) {
    warnings.push_back("with " + counted(held_out, "validation image") +
                       " the share of ID images called out-of-scope may be more than twice the " +
                       percent(alpha) + " asked for: it takes " + std::to_string(needed));
  }
  for (const std::string& each : set_warnings(policy, sets, class_names)) warnings.push_back(each);
  if (!policy.achieved.id) return warnings;
  const VerdictRates& id = *policy.achieved.id;
  for (const VerdictPromise& each : verdict_promises(policy)) {
    if (each.state != PromiseState::kMissed) continue;
    if (each.kind == PromiseKind::kOutOfScope) {
      warnings.push_back("the promise is missed: " + percent(alpha) +
                         " of ID images were to be called out-of-scope, and " +
                         with_bounds(id.out_of_scope, id.samples) +
                         " of other ID images are; are they of other patients or another source?");
    } else {
      warnings.push_back("a promise is missed: " + promise_text(each, class_names));
    }
  }
  if (!policy.achieved.ood) return warnings;
  const VerdictRates& ood = *policy.achieved.ood;
  if (lower_bound_of_share(ood.out_of_scope, ood.samples, kBoundLevel) <=
      upper_bound_of_share(id.out_of_scope, id.samples, kBoundLevel)) {
    warnings.push_back("the detector is not seen to tell these outliers from ID images: it calls " +
                       with_bounds(ood.out_of_scope, ood.samples) +
                       " of the outliers out-of-scope, and " +
                       with_bounds(id.out_of_scope, id.samples) + " of the ID images");
  }
  return warnings;
}

}  // namespace

ProbeRule probe_rule_from_name(const std::string& name) {
  return value_named(kProbeRules, name, "the rule for probes");
}

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
  verdict.policy.validation_by_class.resize(model.description.classes());
  verdict.policy.detector = fit.detector;
  verdict.policy.features = run_options.features;
  verdict.policy.passes = run_options.mc.passes;
  verdict.policy.calibration = calibration_hash(model.description.calibration);

  const std::vector<Probe> probes =
      far_probes(spread_images(set.split(fit.fit_split), kProbeImages), fit.seed);
  verdict.policy.probes = judge_probes(run, verdict.policy, probes);
  const std::string accepted = accepted_probes(probes, verdict.policy.probes);
  if (!accepted.empty() && fit.probes == ProbeRule::kRefuse) {
    throw DataError("a verdict by '" + fit.detector + "' accepts " + accepted +
                    ", made from training images: nothing was written; " +
                    (fit.detector == "combined" ? "train the model longer or with more images"
                                                : "the detector 'combined' sees more"));
  }

  FittedVerdict result;
  if (!accepted.empty()) {
    result.warnings.push_back("the verdict accepts " + accepted + ", made from training images");
  }
  if (set.has_split(id_split) && id_split != fit.threshold_split && id_split != fit.fit_split) {
    const Judged other(run, fit.detector, set.split(id_split));
    verdict.policy.achieved.id = verdict_rates(verdict.policy, other.view());
    verdict.policy.achieved.by_class =
        verdict_rates_by_class(verdict.policy, other.view(), model.description.classes());
    if (verdict.policy.sets) result.sets = summarise_judged(verdict.policy, other);
  }
  if (set.has_split(ood_split)) {
    verdict.policy.achieved.ood =
        verdict_rates(verdict.policy, Judged(run, fit.detector, set.split(ood_split)).view());
  }
  for (const std::string& each :
       warnings_of(verdict.policy, result.sets, model.description.class_names)) {
    result.warnings.push_back(each);
  }
  result.policy = verdict.policy;
  verdict.detector = run.release(fit.detector);
  attach_verdict(folder, verdict, model.weights_hash);
  return result;
}

Json verdict_json(const FittedVerdict& verdict) {
  Json json = Json::parse(verdict_to_json(verdict.policy));
  const VerdictOutcome& achieved = verdict.policy.achieved;
  json["achieved"] = achieved.id ? rates_json(*achieved.id) : Json();
  json["achieved_by_class"] = Json::array();
  for (const VerdictRates& each : achieved.by_class) {
    json["achieved_by_class"].push_back(rates_json(each));
  }
  json["achieved_sets"] = verdict.sets ? sets_json(*verdict.sets) : Json();
  json["outliers"] = achieved.ood ? rates_json(*achieved.ood) : Json();
  return json;
}

std::vector<ReferralCurve> referral_curves(OodRun& run, const ImageSplit& split) {
  const std::vector<std::int64_t> labels = values_of(split.labels);
  std::vector<ReferralCurve> curves;
  for (const bool dts : {false, true}) {
    const SampleFacts facts =
        sample_facts(dts ? run.with_dts(split.name) : run.plain(split.name), labels, {});
    for (const bool by_confidence : {false, true}) {
      curves.push_back(
          {std::string(dts ? "DTS " : "") + (by_confidence ? "confidence" : "uncertainty"),
           risk_coverage(facts, by_confidence ? Certainty::kConfidence : Certainty::kEntropy)});
    }
  }
  return curves;
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

}  // namespace cubcal
