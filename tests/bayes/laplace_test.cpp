#include "cubcal_nn/bayes/laplace.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>

#include "cubcal/core/error.h"
#include "cubcal_nn/bayes/layer_factory.h"
#include "cubcal_nn/kernels/sigma.h"

namespace cubcal {
namespace {

/// A layer z = W phi + b of 4 features and 3 classes, and what it does with 60 samples.
struct LastLayer {
  explicit LastLayer(double scale) {
    at::manual_seed(5);
    weight = at::randn({3, 4}, at::kDouble) * scale;
    bias = at::randn({3}, at::kDouble);
    features = at::rand({60, 4}, at::kDouble);
    logits = outputs(weight, bias);
    labels = at::multinomial(logits.softmax(1), 1).flatten();
  }
  at::Tensor outputs(const at::Tensor& w, const at::Tensor& b) const {
    return features.matmul(w.t()) + b;
  }
  double summed_loss(const at::Tensor& w, const at::Tensor& b) const {
    return at::nll_loss(outputs(w, b).log_softmax(1), labels, {}, at::Reduction::Sum)
        .item<double>();
  }

  at::Tensor weight, bias, features, logits, labels;
};

TEST(Laplace, CurvatureIsTheSecondDifferenceOfTheLoss) {
  const LastLayer layer(1.5);
  const LastLayerCurvature curvature = last_layer_curvature(layer.features, layer.logits);
  constexpr double step = 1e-3;
  const auto second = [&](const at::Tensor& w, const at::Tensor& b) {
    return (layer.summed_loss(layer.weight + w, layer.bias + b) +
            layer.summed_loss(layer.weight - w, layer.bias - b) -
            2 * layer.summed_loss(layer.weight, layer.bias)) /
           (step * step);
  };
  for (int k = 0; k < 3; ++k) {
    at::Tensor b = at::zeros_like(layer.bias);
    b[k] = step;
    EXPECT_NEAR(second(at::zeros_like(layer.weight), b), curvature.bias[k].item<double>(), 1e-4);
    for (int j = 0; j < 4; ++j) {
      at::Tensor w = at::zeros_like(layer.weight);
      w[k][j] = step;
      EXPECT_NEAR(second(w, at::zeros_like(layer.bias)), curvature.weight[k][j].item<double>(),
                  1e-4);
    }
  }
}

TEST(Laplace, NllIsThatOfDrawsFromThePosterior) {
  const LastLayer layer(1.5);
  const LastLayerCurvature curvature = last_layer_curvature(layer.features, layer.logits);
  const double precision = 0.3;
  const at::Tensor sigma_w = (curvature.weight + precision).rsqrt();
  const at::Tensor sigma_b = (curvature.bias + precision).rsqrt();
  constexpr int draws = 4000;
  at::Tensor mean = at::zeros_like(layer.logits);
  for (int s = 0; s < draws; ++s) {
    mean += layer
                .outputs(layer.weight + sigma_w * at::randn_like(sigma_w),
                         layer.bias + sigma_b * at::randn_like(sigma_b))
                .softmax(1) /
            draws;
  }
  const double drawn = at::nll_loss(mean.log(), layer.labels).item<double>();
  EXPECT_NEAR(laplace_nll(curvature, precision, layer.features, layer.logits, layer.labels), drawn,
              0.02 * drawn);
}

TEST(Laplace, OverconfidenceWantsAWiderPosterior) {
  const LastLayer layer(1.5);
  const at::Tensor fitted_features = layer.features.slice(0, 0, 20);
  const at::Tensor overconfident = layer.logits * 4;
  const LastLayerCurvature curvature =
      last_layer_curvature(fitted_features, overconfident.slice(0, 0, 20));
  const auto nll = [&](double precision) {
    return laplace_nll(curvature, precision, layer.features, overconfident, layer.labels);
  };
  const PriorPrecision best =
      best_prior_precision(curvature, layer.features, overconfident, layer.labels);
  EXPECT_EQ(best.nll, nll(best.value));
  EXPECT_FALSE(best.is_largest);
  EXPECT_LT(best.nll, nll(1e6));
  for (const double other : {1e-4, 1e-2, 1.0, 1e2}) EXPECT_LE(best.nll, nll(other)) << other;

  // Answers that are surer than the layer says and always right are made worse by any doubt.
  const at::Tensor right = layer.logits.argmax(1);
  EXPECT_TRUE(best_prior_precision(curvature, layer.features, overconfident, right).is_largest);
}

TEST(Laplace, TheNetworksLastLayerTakesThePosterior) {
  ParameterStore store;
  LayerFactory factory = LayerFactory::last_layer(store);
  factory.linear("fc.0", 5, 4);
  factory.output("fc.3", 4, 3);
  store.allocate(at::kFloat, at::kCPU);
  initialise(store, 1);
  const at::Tensor means = store.mu().clone();
  const LastLayer layer(1);
  const LastLayerCurvature curvature = last_layer_curvature(layer.features, layer.logits);
  set_laplace_posterior(curvature, 2, store);
  EXPECT_TRUE(at::equal(store.mu(), means));
  const at::Tensor sigma =
      sigma_from_rho(store.view(store.rho(), store.index_of("fc.3.weight"))).to(at::kDouble);
  EXPECT_TRUE(at::allclose(sigma, (curvature.weight + 2).rsqrt(), 1e-6));

  const LastLayerCurvature other = last_layer_curvature(at::rand({9, 7}), at::rand({9, 3}));
  EXPECT_THROW(set_laplace_posterior(other, 2, store), ArgumentError);
  EXPECT_THROW(set_laplace_posterior(curvature, 0, store), ArgumentError);
  ParameterStore point;
  LayerFactory::deterministic(point).linear("fc", 4, 3);
  point.allocate(at::kFloat, at::kCPU);
  EXPECT_THROW(set_laplace_posterior(curvature, 2, point), ArgumentError);
}

}  // namespace
}  // namespace cubcal
