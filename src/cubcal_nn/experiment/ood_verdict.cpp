#include "cubcal_nn/experiment/ood_verdict.h"

#include <ATen/ATen.h>

#include "cubcal/metrics/selective.h"
#include "cubcal_nn/batches/tensor_values.h"
#include "cubcal_nn/ood/verdict_folder.h"

namespace cubcal {

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

Json rates_json(const VerdictRates& rates) {
  const std::optional<double> risk = rates.risk();
  return {{"samples", rates.samples},   {"accepted", rates.accepted},
          {"referred", rates.referred}, {"out_of_scope", rates.out_of_scope},
          {"errors", rates.errors},     {"risk", risk ? Json(*risk) : Json()}};
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

Json verdict_json(const FittedVerdict& verdict) {
  Json json = Json::parse(verdict_to_json(verdict.policy));
  json["achieved"] = verdict.id ? rates_json(*verdict.id) : Json();
  json["outliers"] = verdict.ood ? rates_json(*verdict.ood) : Json();
  return json;
}

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
