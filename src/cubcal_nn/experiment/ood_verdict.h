#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "cubcal/conformal/set_summary.h"
#include "cubcal_nn/experiment/ood_run.h"
#include "cubcal_nn/ood/verdict.h"

namespace cubcal {

/// What becomes of a verdict that accepts images which none may accept (ood/probes.h).
enum class ProbeRule { kRefuse, kWarn };

/// "refuse", "warn".
ProbeRule probe_rule_from_name(const std::string& name);

struct VerdictFit {
  std::string detector = "combined";
  std::string fit_split = "train";
  std::string threshold_split = "val";
  VerdictOptions options;
  ProbeRule probes = ProbeRule::kRefuse;
  std::uint64_t seed = 0;  ///< of the probes
};

/// A fitted policy, with what became of its promises.
struct FittedVerdict {
  VerdictPolicy policy;
  std::optional<SetSummary> sets;  ///< of the same ID images as `achieved`, where sets decide
  std::vector<std::string> warnings;
};

/// Throws, before anything is computed, where the held-out images are too few for alpha or are
/// outliers.
void check_held_out(const ImageSet& set, const VerdictFit& fit);

/// Fits detector and thresholds and writes them into the model folder. Throws DataError, and writes
/// nothing, where more than one in a hundred probes is accepted and the rule is to refuse that.
FittedVerdict fit_and_attach(OodRun& run, const std::string& folder, const LoadedModel& model,
                             const ImageSet& set, const OodRunOptions& run_options,
                             const VerdictFit& fit, const std::string& id_split,
                             const std::string& ood_split);

nlohmann::ordered_json verdict_json(const FittedVerdict& verdict);

/// What is left when the least certain images are referred, by one measure of certainty.
struct ReferralCurve {
  std::string name;
  std::vector<double> risk;  ///< see risk_coverage
};

std::vector<ReferralCurve> referral_curves(OodRun& run, const ImageSplit& split);
/// Accuracy of the images kept when the least certain are referred, on an ID split.
nlohmann::ordered_json referral_json(OodRun& run, const ImageSplit& split);

}  // namespace cubcal
