#include "cubcal_nn/train/training_method.h"

#include "cubcal/core/error.h"
#include "cubcal_nn/losses/avuc_objective.h"
#include "cubcal_nn/losses/cub_objective.h"
#include "cubcal_nn/losses/elbo_objective.h"

namespace cubcal {

namespace {

std::vector<TrainingMethod>& method_list() {
  static std::vector<TrainingMethod> methods = {
      {kDeterministicMethod, LayerKind::kDeterministic, std::make_shared<ElboObjective>()},
      {"mc-dropout", LayerKind::kMcDropout, std::make_shared<ElboObjective>()},
      {"last-layer", LayerKind::kLastLayer, std::make_shared<ElboObjective>()},
      {"bnn", LayerKind::kVariational, std::make_shared<ElboObjective>()},
      {"bnn+avuc", LayerKind::kVariational, std::make_shared<AvucObjective>()},
      {"bnn+cub", LayerKind::kVariational, std::make_shared<CubObjective>()},
  };
  return methods;
}

}  // namespace

std::vector<TrainingMethod> training_methods() { return method_list(); }

TrainingMethod training_method(const std::string& name) {
  std::string known;
  for (const TrainingMethod& method : method_list()) {
    if (name == method.name) return method;
    known += (known.empty() ? "" : ", ") + method.name;
  }
  throw ArgumentError("there is no training method '" + name + "'; known are " + known);
}

void register_training_method(TrainingMethod method) {
  if (method.name.empty() || method.objective == nullptr) {
    throw ArgumentError("a training method needs a name and an objective");
  }
  for (const TrainingMethod& other : method_list()) {
    if (other.name == method.name) {
      throw ArgumentError("there is a training method '" + method.name +
                          "' already: give it another name");
    }
  }
  method_list().push_back(std::move(method));
}

}  // namespace cubcal
