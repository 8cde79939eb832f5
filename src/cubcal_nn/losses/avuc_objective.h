#pragma once

#include "cubcal_nn/losses/avuc_loss.h"
#include "cubcal_nn/losses/objective.h"

namespace cubcal {

struct AvucOptions {
  double weight = kAvucWeight;
  int threshold_epochs = 5;  ///< epochs after which the threshold is frozen
};

/// The baseline: ELBO + weight AvUC (avuc_loss.h), whose threshold follows the training
/// predictions.
class AvucObjective : public Objective {
 public:
  explicit AvucObjective(const AvucOptions& options = {});

  std::unique_ptr<Objective> clone() const override;
  StepLoss evaluate(const StepInput& input) const override;
  std::vector<TermName> terms() const override;
  std::vector<double> scalars() const override;
  void observe(const StepNumbers& numbers) override;
  void end_epoch() override;
  void read_options(OptionReader& reader) override;
  void check(const ObjectiveUse& use) const override;
  nlohmann::json state() const override;
  void restore(const nlohmann::json& state) override;
  NamedNumbers values() const override;
  std::string summary(const LossTerms& means) const override;

 private:
  double weight_;
  AvucThreshold threshold_;
};

}  // namespace cubcal
