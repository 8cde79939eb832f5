#include "cubcal_nn/losses/elbo_objective.h"

namespace cubcal {

std::unique_ptr<Objective> ElboObjective::clone() const {
  return std::make_unique<ElboObjective>(*this);
}

StepLoss ElboObjective::evaluate(const StepInput& input) const { return {input.cross_entropy, {}}; }

}  // namespace cubcal
