#include "cubcal_nn/bayes/moped.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <algorithm>

#include "cubcal/core/check.h"
#include "cubcal/core/words.h"
#include "cubcal_nn/kernels/sigma.h"

namespace cubcal {

void convert_by_moped(const ParameterStore& trained, ParameterStore& bayesian,
                      const MopedOptions& options) {
  check_positive("moped delta", options.delta);
  check_positive("moped sigma_floor", options.sigma_floor);
  if (trained.variational_size() != 0) {
    throw ArgumentError(
        "MOPED starts from a deterministic network, but the one given is variational");
  }
  // Fill mu through the path-wise transfer: the names of the source are those of the Gaussian
  // means.
  NamedTensors source;
  for (auto& [name, tensor] : trained.named_tensors()) source.emplace_back(name, tensor);
  for (const ParameterEntry& entry : bayesian.parameters()) {
    if (entry.kind != ParameterKind::kVariational) continue;
    for (auto& [name, tensor] : source) {
      if (name == entry.path) name += ".mu";
    }
  }
  TransferReport report = transfer(source, bayesian);
  const auto is_not_carried = [](const std::string& name) {
    return ends_with(name, ".rho") || ends_with(name, ".prior_mean");
  };
  report.missing.erase(std::remove_if(report.missing.begin(), report.missing.end(), is_not_carried),
                       report.missing.end());
  if (!report.complete()) {
    throw DataError("the trained network does not fit the Bayesian one: " + report.text());
  }
  const c10::NoGradGuard no_grad;
  const at::Tensor sigma = (bayesian.mu().abs() * options.delta).clamp_min(options.sigma_floor);
  bayesian.rho().copy_(rho_from_sigma(sigma));
  if (options.prior == MopedPrior::kWeights) {
    bayesian.prior_mean().copy_(bayesian.mu());
  } else {
    bayesian.prior_mean().zero_();
  }
}

}  // namespace cubcal
