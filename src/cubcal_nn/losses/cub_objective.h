#pragma once

#include "cubcal_nn/losses/beta_schedule.h"
#include "cubcal_nn/losses/cub_loss.h"
#include "cubcal_nn/losses/objective.h"

namespace cubcal {

/// The paper's objective: ELBO + beta CUB-Loss (cub_loss.h), beta by its schedule
/// (beta_schedule.h). During the warm-up CUB-Loss is measured all the same.
class CubObjective : public Objective {
 public:
  explicit CubObjective(const CubOptions& cub = {}, const BetaOptions& beta = {});

  std::unique_ptr<Objective> clone() const override;
  StepLoss evaluate(const StepInput& input) const override;
  std::vector<TermName> terms() const override;
  std::vector<double> scalars() const override;
  void observe(const StepNumbers& numbers) override;
  void end_epoch() override;
  void read_options(OptionReader& reader) override;
  void check(const ObjectiveUse& use) const override;
  std::int64_t warmup_epochs() const override;
  nlohmann::json state() const override;
  void restore(const nlohmann::json& state) override;
  NamedNumbers values() const override;
  std::string summary(const LossTerms& means) const override;
  /// CUB-Loss, at its weight after the warm-up, above four times the cross entropy.
  std::optional<std::string> alarm(const LossTerms& means) const override;

 private:
  CubOptions cub_;
  BetaSchedule beta_;
};

}  // namespace cubcal
