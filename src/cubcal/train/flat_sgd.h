#pragma once

#include <ATen/core/Tensor.h>

#include <string>

#include "cubcal/bayes/parameter_store.h"
#include "cubcal/core/named_values.h"

namespace cubcal {

/// Which parameters weight decay pulls towards 0.
enum class DecayScope {
  /// mu and point parameters, not rho. Decay of rho would pull sigma towards softplus(0) = 0.69,
  /// which means nothing; for mu it is an addition to what the KL term does with a prior mean of 0.
  kMeans,
  kPoint,  ///< point parameters alone: the KL term is the decay of Gaussian weights
  kAll     ///< rho as well: what torch.optim.SGD over all parameters does, and so the paper's runs
};

inline constexpr NamedValue<DecayScope> kDecayScopes[] = {
    {"means", DecayScope::kMeans}, {"point", DecayScope::kPoint}, {"all", DecayScope::kAll}};

struct SgdOptions {
  double momentum = 0.9;
  bool nesterov = false;
  double weight_decay = 5e-4;
  DecayScope decay_scope = DecayScope::kMeans;
  bool decay_norms_and_biases = true;  ///< false: only weights of convolutions and linear layers
  double clip_norm = 0;                ///< largest norm of the whole gradient; 0: no clipping
};

void check_sgd_options(const SgdOptions& options);

/// Stochastic gradient descent over a store's flat buffers, a handful of operations however many
/// layers there are. Step for step what torch.optim.SGD does:
/// g <- g + decay w;  v <- momentum v + g;  w <- w - lr v, or with Nesterov w - lr (g + momentum
/// v).
class FlatSgd {
 public:
  /// The store must outlive the optimiser.
  FlatSgd(ParameterStore& store, const SgdOptions& options);

  /// One step along the store's gradients, which it uses up: they are changed, not zeroed.
  void step(double learning_rate);

  /// The same by fused kernels, with everything that changes from step to step on the device:
  /// learning_rate float32 [1]; `loss` a scalar: where it is not finite nothing changes.
  void step_on_device(const at::Tensor& learning_rate, const at::Tensor& loss);

  /// The state, for checkpoints: momentum of mu, rho and the point parameters, flat.
  NamedTensors state() const;

 private:
  struct Group {
    at::Tensor values;
    at::Tensor gradient;
    at::Tensor momentum;
    at::Tensor decay;  ///< per element; undefined: `weight_decay` for all
    double weight_decay = 0;
  };

  SgdOptions options_;
  Group mu_, rho_, point_;

  at::Tensor clip_factor() const;
  void step_group(Group& group, double learning_rate) const;
};

}  // namespace cubcal
