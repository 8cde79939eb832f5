#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cubcal_nn/bayes/layer_factory.h"
#include "cubcal_nn/losses/objective.h"

namespace cubcal {

/// What a stage trains, and with which loss.
struct TrainingMethod {
  std::string name;                            ///< in recipes, logs and models: "bnn+cub"
  LayerKind kind = LayerKind::kDeterministic;  ///< of the network
  std::shared_ptr<const Objective> objective;  ///< with its options; a stage trains with a copy
};

inline constexpr const char* kDeterministicMethod = "deterministic";

/// The one list of methods, with default options: "deterministic" and "mc-dropout" (cross entropy),
/// "last-layer" and "bnn" (ELBO), "bnn+avuc", "bnn+cub" (the paper's), then what was registered.
std::vector<TrainingMethod> training_methods();

/// Anything but the name of a method throws ArgumentError that lists them.
TrainingMethod training_method(const std::string& name);

/// Puts a method from outside the library at the end of the list: recipes can name it, and its
/// options are read like the others'. Throws ArgumentError where the name is taken or empty or
/// there is no objective. Not to be called while another thread trains or reads a recipe.
void register_training_method(TrainingMethod method);

}  // namespace cubcal
