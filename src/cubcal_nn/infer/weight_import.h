#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cubcal/weights/state_dict.h"
#include "cubcal_nn/models/network.h"

namespace cubcal {

/// Takes over weights that another program trained. Names match exactly or are reported; nothing is
/// guessed.
struct ImportOptions {
  /// Paths of the network ("fc" stands for all of "fc.") that may stay freshly initialised.
  std::vector<std::string> allow_missing = {};
  /// Paths of the file that are left unused.
  std::vector<std::string> ignore = {};
  /// What every name in the file starts with, for example "module."; taken off.
  std::string strip_prefix = {};
};

struct ImportReport {
  std::vector<std::string> imported;    ///< tensors of the network that were filled
  std::vector<std::string> fresh;       ///< tensors left as initialised, by allow_missing
  std::vector<std::string> ignored;     ///< names of the file left unused, by `ignore`
  std::vector<std::string> dropped;     ///< names of the file that mean nothing here: see below
  std::vector<std::string> no_prior;    ///< Gaussian parameters whose prior mean the file lacks: 0
  std::optional<double> prior_sigma;    ///< where the file has one
  std::vector<std::string> missing;     ///< in the network, not in the file
  std::vector<std::string> unexpected;  ///< in the file, not in the network
  std::vector<std::string> misshapen;   ///< "conv1.weight: expected (64, 3), got (64, 4)"

  bool complete() const { return missing.empty() && unexpected.empty() && misshapen.empty(); }
};

/// What, taken off the names of a file, gives most names of the network, such as "module.": empty
/// where none gives more than are there already.
std::string common_prefix_of(const StateDict& weights, const Network& network);

/// Copies a state dict onto the network's tensors. Names of three kinds are understood: our own
/// (those of weights.safetensors), torchvision's, which are equal to ours but for the head, and
/// Bayesian-Torch's: X.mu_kernel, X.rho_kernel (convolution), X.mu_weight, X.rho_weight (linear),
/// X.mu_bias and X.rho_bias stand for X.weight.mu, X.weight.rho, X.bias.mu and X.bias.rho;
/// X.prior_weight_mu and X.prior_bias_mu for the prior means; X.prior_weight_sigma and
/// X.prior_bias_sigma give the prior sigma, which must be one number throughout.
///
/// `num_batches_tracked` of batch norm and the noise buffers `eps_kernel`, `eps_weight`, `eps_bias`
/// of Bayesian-Torch are dropped. With an incomplete report the network is partly filled: the
/// caller ought to throw it away. Throws DataError for a tensor that is not of floating-point type
/// or holds a value that is not finite, and for two names in the file that mean the same tensor.
ImportReport import_weights(const StateDict& weights, Network& network,
                            const ImportOptions& options = {});

}  // namespace cubcal
