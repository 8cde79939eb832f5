#pragma once

#include <ATen/core/Tensor.h>

#include "cubcal_nn/bayes/parameter_store.h"

/// Laplace's approximation of the posterior of a network's last linear layer, z = W phi + b
/// (MacKay 1992; of the last layer alone: Kristiadi et al. 2020), with a diagonal covariance.
namespace cubcal {

/// The diagonal of the second derivative of the summed cross entropy, float64. In the layer's
/// weights it is exact: by W_kj it is sum_n p_nk (1 - p_nk) phi_nj^2, by b_k sum_n p_nk (1 - p_nk).
struct LastLayerCurvature {
  at::Tensor weight;  ///< [K, D]
  at::Tensor bias;    ///< [K]
};

/// Of the trained layer's inputs phi [N, D] and outputs z [N, K] on the training images.
LastLayerCurvature last_layer_curvature(const at::Tensor& features, const at::Tensor& logits);

/// The mean NLL of labels [N] under the posterior with the prior N(0, 1 / precision), whose
/// variances are 1 / (curvature + precision). Logit k of a sample is then Gaussian with a variance
/// v_k, and the expected softmax is about that of z_k / sqrt(1 + pi v_k / 8) (Lu, Ie and Sha 2020).
double laplace_nll(const LastLayerCurvature& curvature, double precision,
                   const at::Tensor& features, const at::Tensor& logits, const at::Tensor& labels);

struct PriorPrecision {
  double value = 1;
  double nll = 0;           ///< of held-out samples with it
  bool is_largest = false;  ///< of those tried: no uncertainty of the weights made NLL better
};

/// The precision of the lowest NLL on held-out samples, of half decades from 1e-4 to 1e6.
PriorPrecision best_prior_precision(const LastLayerCurvature& curvature, const at::Tensor& features,
                                    const at::Tensor& logits, const at::Tensor& labels);

/// Gives the Gaussian parameters of a last-layer network the posterior's standard deviations; their
/// means stay. Throws ArgumentError where its Gaussian parameters are not one weight and one bias
/// of the curvature's shapes.
void set_laplace_posterior(const LastLayerCurvature& curvature, double precision,
                           ParameterStore& parameters);

}  // namespace cubcal
