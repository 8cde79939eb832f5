#pragma once

#include "cubcal_nn/losses/objective.h"

namespace cubcal {

/// The ELBO and nothing else: cross entropy, to which the step adds KL where weights are Gaussian.
class ElboObjective : public Objective {
 public:
  std::unique_ptr<Objective> clone() const override;
  StepLoss evaluate(const StepInput& input) const override;
};

}  // namespace cubcal
