#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cubcal/core/option_reader.h"
#include "cubcal_nn/losses/mean_prediction.h"

namespace cubcal {

using NamedNumbers = std::vector<std::pair<std::string, double>>;

/// 0 where there is none of that name.
double number_named(const NamedNumbers& numbers, const std::string& name);
/// Adds each number to the one of the same name, or puts it at the end.
void add_numbers(NamedNumbers& sums, const NamedNumbers& numbers);

/// A term that an objective adds to cross entropy and KL.
struct TermName {
  std::string key;    ///< in logs and checkpoints: "cub"
  std::string title;  ///< in sentences: "CUB-Loss"
};

/// The loss of one step, or its mean or sum over the steps of an epoch.
struct LossTerms {
  double loss = 0;           ///< everything together
  double cross_entropy = 0;  ///< data term of the ELBO
  double kl = 0;             ///< weighted
  double correct = 0;        ///< images whose mean prediction over the passes is right
  NamedNumbers own;          ///< the objective's terms by key, unweighted
};

/// A step as the host sees it after the device was read.
struct StepNumbers {
  LossTerms terms;
  std::int64_t batch = 0;        ///< images
  std::vector<double> observed;  ///< StepLoss::observed
};

/// What an objective is computed from; all tensors are on the device.
struct StepInput {
  const at::Tensor& logits;  ///< [S, B, K]
  const at::Tensor& labels;  ///< [B], int64
  const MeanPrediction& prediction;
  const at::Tensor& cross_entropy;  ///< expected_cross_entropy with the class weights, a scalar
  const at::Tensor& scalars;        ///< Objective::scalars()
  /// The step is recorded once and replayed with other scalars, as a CUDA graph: what is computed
  /// must not depend on the state.
  bool replayed = false;
};

/// The loss without KL, which the step adds.
struct StepLoss {
  at::Tensor loss;                ///< differentiable in the logits
  std::vector<at::Tensor> terms;  ///< scalars, unweighted, in the order of Objective::terms()
  at::Tensor observed = {};       ///< float64 [n]: what observe() wants to know besides
};

/// Of a stage; 0: not known yet.
struct ObjectiveUse {
  std::int64_t epochs = 0;
  std::int64_t classes = 0;
};

/// What a stage minimises: terms with names, a schedule, a state that a checkpoint holds, and
/// options. It is a function of tensors: it knows no network and no optimiser.
///
/// Over a stage: scalars() and evaluate() for every step, then observe(); after the last step of an
/// epoch values() and end_epoch(), then alarm().
class Objective {
 public:
  virtual ~Objective() = default;
  /// With options and state.
  virtual std::unique_ptr<Objective> clone() const = 0;

  virtual StepLoss evaluate(const StepInput& input) const = 0;
  virtual std::vector<TermName> terms() const { return {}; }
  /// What evaluate() reads of the state, always as many numbers. They are copied to the device as
  /// float32 before the step.
  virtual std::vector<double> scalars() const { return {}; }
  virtual void observe(const StepNumbers&) {}
  virtual void end_epoch() {}

  /// Its options by their names in a recipe. Names are shared by all objectives: an option of one
  /// is known, and of no effect, where another is trained.
  virtual void read_options(OptionReader&) {}
  /// Throws ArgumentError where an option is outside its domain, or disagrees with a use that is
  /// known.
  virtual void check(const ObjectiveUse&) const {}
  /// First epochs that are trained without its own terms; none of them can be the best.
  virtual std::int64_t warmup_epochs() const { return 0; }

  /// The state, and back. restore() may find keys of other objectives and leaves them alone;
  /// options are not part of it.
  virtual nlohmann::json state() const;
  virtual void restore(const nlohmann::json&) {}

  /// Numbers of the state that the log of epochs holds by name, weights and thresholds for
  /// example: always the same names.
  virtual NamedNumbers values() const { return {}; }
  /// Its terms, means over an epoch, in a few words; empty for none.
  virtual std::string summary(const LossTerms& means) const;
  /// What is to be said of an epoch's means: what is wrong and what to do. It is said once.
  virtual std::optional<std::string> alarm(const LossTerms&) const { return std::nullopt; }
};

}  // namespace cubcal
