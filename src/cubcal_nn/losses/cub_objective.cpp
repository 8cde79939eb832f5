#include "cubcal_nn/losses/cub_objective.h"

#include <ATen/ATen.h>

#include <nlohmann/json.hpp>

#include "cubcal/core/check.h"

namespace cubcal {

using nlohmann::json;

namespace {

constexpr const char* kCub = "cub";
constexpr const char* kBeta = "beta";

constexpr NamedValue<BetaMode> kBetaModes[] = {
    {"fixed", BetaMode::kFixed}, {"share", BetaMode::kShare}, {"auto", BetaMode::kAutomatic}};
constexpr NamedValue<BatchReduction> kBatchReductions[] = {{"sum", BatchReduction::kSum},
                                                           {"mean", BatchReduction::kMean}};

}  // namespace

CubObjective::CubObjective(const CubOptions& cub, const BetaOptions& beta)
    : cub_(cub), beta_(beta) {}

std::unique_ptr<Objective> CubObjective::clone() const {
  return std::make_unique<CubObjective>(*this);
}

StepLoss CubObjective::evaluate(const StepInput& input) const {
  const at::Tensor cub = cub_loss(input.prediction, input.labels, cub_);
  const bool counts = input.replayed || beta_.beta() > 0;
  return {counts ? input.cross_entropy + input.scalars[0] * cub : input.cross_entropy, {cub}};
}

std::vector<TermName> CubObjective::terms() const { return {{kCub, "CUB-Loss"}}; }

std::vector<double> CubObjective::scalars() const { return {beta_.beta()}; }

void CubObjective::observe(const StepNumbers& numbers) {
  const LossTerms& terms = numbers.terms;
  beta_.observe(terms.cross_entropy, terms.kl, number_named(terms.own, kCub));
}

void CubObjective::end_epoch() { beta_.end_epoch(); }

void CubObjective::read_options(OptionReader& reader) {
  reader.read("gamma", cub_.gamma);
  reader.read_named("cub_reduction", cub_.reduction, kBatchReductions);
  reader.read("cub_epsilon", cub_.epsilon);
  reader.read_named("beta_mode", beta_.options.mode, kBetaModes);
  reader.read("beta", beta_.options.beta);
  reader.read("beta_share", beta_.options.share);
  reader.read("beta_warmup_epochs", beta_.options.warmup_epochs);
}

void CubObjective::check(const ObjectiveUse& use) const {
  check_beta_options(beta_.options);
  if (use.epochs > 0 && warmup_epochs() >= use.epochs) {
    throw ArgumentError("beta's warm-up of " + std::to_string(warmup_epochs()) +
                        " epochs leaves none of the " + std::to_string(use.epochs) +
                        " epochs for CUB-Loss: lower it or train longer");
  }
  check_in_closed("gamma", cub_.gamma, 0, 1);
  if (use.classes > 0) check_cub_options(cub_, use.classes);
}

std::int64_t CubObjective::warmup_epochs() const { return beta_.options.warmup_epochs; }

json CubObjective::state() const {
  const BetaSchedule::State& state = beta_.state;
  return {{kBeta,
           {{"epoch", state.epoch},
            {"current", state.current},
            {"data_sum", state.data_sum},
            {"kl_sum", state.kl_sum},
            {"cub_sum", state.cub_sum},
            {"steps", state.steps}}}};
}

void CubObjective::restore(const json& state) {
  const json& object = state.at(kBeta);
  object.at("epoch").get_to(beta_.state.epoch);
  object.at("current").get_to(beta_.state.current);
  object.at("data_sum").get_to(beta_.state.data_sum);
  object.at("kl_sum").get_to(beta_.state.kl_sum);
  object.at("cub_sum").get_to(beta_.state.cub_sum);
  object.at("steps").get_to(beta_.state.steps);
}

NamedNumbers CubObjective::values() const { return {{kBeta, beta_.beta()}}; }

std::string CubObjective::summary(const LossTerms& means) const {
  return "β " + fixed(beta_.beta(), 3) + " x CUB " + fixed(number_named(means.own, kCub), 1);
}

std::optional<std::string> CubObjective::alarm(const LossTerms& means) const {
  // Told while the warm-up lasts, when there is still time.
  const double cub = beta_.weight() * number_named(means.own, kCub);
  // A network that is sure of everything has almost no cross entropy to compare with.
  if (means.cross_entropy <= 0.02 || cub <= 4 * means.cross_entropy) return std::nullopt;
  return "CUB-Loss with beta " + significant(beta_.weight(), 3) + " weighs " +
         fixed(cub / means.cross_entropy, 0) + " times the cross entropy (" + significant(cub, 2) +
         " against " + significant(means.cross_entropy, 2) +
         "), and one answer to all images at confidence gamma costs it nothing, so the network may "
         "end there: lower beta, or set beta_mode = \"share\"";
}

}  // namespace cubcal
