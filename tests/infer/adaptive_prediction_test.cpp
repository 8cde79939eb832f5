#include "cubcal_nn/infer/adaptive_prediction.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "expect_error.h"
#include "infer/tiny_model.h"

namespace cubcal::test {
namespace {

constexpr std::size_t kTotal = 24;

McOptions all_passes() {
  McOptions mc;
  mc.passes = kTotal;
  mc.seed = 11;
  return mc;
}

/// An untrained network is unsure of everything: only the class keeps an image open.
DecisionOptions class_alone() { return {0.1, std::nullopt}; }

struct Tiny {
  explicit Tiny(LayerKind kind)
      : network(tiny_network(kind)), engine(*network, tiny_description(kind).preprocessing) {
    // Narrow weights, so that some images are clear and some are not.
    if (kind == LayerKind::kVariational) network->parameters().rho().fill_(-3.7);
  }

  AdaptivePrediction adaptive(const at::Tensor& images, const AdaptiveOptions& options = {},
                              const std::optional<Calibration>& calibration = {}) {
    return predict_adaptively(engine, *network, images, all_passes(), options, class_alone(),
                              calibration);
  }

  std::unique_ptr<Network> network;
  McEngine engine;
};

TEST(McEngine, StartsAtAnyPass) {
  const at::Tensor images = random_images(5);
  for (const LayerKind kind : {LayerKind::kVariational, LayerKind::kMcDropout}) {
    SCOPED_TRACE(layer_kind_name(kind));
    Tiny tiny(kind);
    McOptions mc;
    mc.passes = 6;
    const at::Tensor all = tensor_of(tiny.engine.run(images, mc).logits);
    mc.first_pass = 2;
    mc.passes = 3;
    EXPECT_TRUE(at::equal(tensor_of(tiny.engine.run(images, mc).logits), all.narrow(0, 2, 3)));
  }
  Tiny tiny(LayerKind::kVariational);
  McOptions mc;
  mc.first_pass = std::size_t{1} << 32U;
  expect_error<ArgumentError>([&] { tiny.engine.run(images, mc); }, "first pass");
}

TEST(AdaptivePrediction, IsThePredictionOfThePassesTaken) {
  Tiny tiny(LayerKind::kVariational);
  const at::Tensor images = random_images(40);
  Calibration calibration;
  calibration.method = CalibrationMethod::kDts;
  calibration.classes = 3;
  calibration.thresholds = thresholds_from_eta(0.325, 3);
  calibration.t_high = 0.5;
  calibration.t_low = 2;
  const AdaptivePrediction result = tiny.adaptive(images, {}, calibration);
  ASSERT_EQ(result.passes.size(), 40U);
  EXPECT_LT(*std::min_element(result.passes.begin(), result.passes.end()), kTotal);
  EXPECT_GT(*std::max_element(result.passes.begin(), result.passes.end()), 8U);

  const NdArray all = tiny.engine.run(images, all_passes()).logits;
  for (std::size_t i = 0; i < 40; ++i) {
    EXPECT_TRUE(result.passes[i] % 4 == 0 && result.passes[i] >= 8 && result.passes[i] <= kTotal);
    const double share = static_cast<double>(result.passes[i]) / kTotal;
    EXPECT_LE(result.risk[i], 0.005 * share);
    EXPECT_EQ(result.risk[i] == 0, result.passes[i] == kTotal);
    const McLogits taken(all.as<float>(), result.passes[i], 40, 3);
    const Predictive unscaled = predict(taken);
    const Predictive calibrated = apply_calibration(calibration, taken, unscaled);
    EXPECT_NEAR(result.unscaled.confidence[i], unscaled.confidence[i], 1e-5);
    EXPECT_NEAR(result.unscaled.aleatoric[i], unscaled.aleatoric[i], 1e-5);
    EXPECT_NEAR(result.calibrated.entropy[i], calibrated.entropy[i], 1e-5);
    EXPECT_EQ(result.calibrated.predicted[i], calibrated.predicted[i]);
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_NEAR(result.calibrated.probabilities[i * 3 + k], calibrated.probabilities[i * 3 + k],
                  1e-5);
    }
  }
}

TEST(AdaptivePrediction, AnImageDependsOnNoOther) {
  Tiny tiny(LayerKind::kVariational);
  const at::Tensor images = random_images(12);
  const AdaptivePrediction together = tiny.adaptive(images);
  for (std::int64_t i = 0; i < 12; ++i) {
    const AdaptivePrediction alone = tiny.adaptive(images.narrow(0, i, 1));
    const auto at = static_cast<std::size_t>(i);
    EXPECT_EQ(alone.passes[0], together.passes[at]);
    EXPECT_NEAR(alone.calibrated.entropy[0], together.calibrated.entropy[at], 1e-5);
  }
}

TEST(AdaptivePrediction, WithoutErrorDecidesAsAllPassesDo) {
  Tiny tiny(LayerKind::kVariational);
  const at::Tensor images = random_images(30);
  AdaptiveOptions exact;
  exact.error = 0;
  exact.block = 1;
  const AdaptivePrediction result = tiny.adaptive(images, exact);
  const NdArray all = tiny.engine.run(images, all_passes()).logits;
  EXPECT_EQ(result.calibrated.predicted, predict(McLogits(all)).predicted);
}

TEST(AdaptivePrediction, DropoutHeadsAreDrawnAtOnce) {
  Tiny tiny(LayerKind::kMcDropout);
  const at::Tensor images = random_images(6);
  const AdaptivePrediction result = tiny.adaptive(images);
  EXPECT_EQ(result.passes, std::vector<std::size_t>(6, kTotal));
  const NdArray all = tiny.engine.run(images, all_passes()).logits;
  EXPECT_EQ(result.unscaled.probabilities, predict(McLogits(all)).probabilities);
}

TEST(AdaptivePrediction, ADeterministicNetworkHasOnePass) {
  Tiny tiny(LayerKind::kDeterministic);
  const AdaptivePrediction result = tiny.adaptive(random_images(3));
  EXPECT_EQ(result.passes, std::vector<std::size_t>(3, 1));
  EXPECT_EQ(result.unscaled.entropy, result.unscaled.aleatoric);
}

TEST(AdaptivePrediction, ReportsSettledImagesAndCanBeInterrupted) {
  Tiny tiny(LayerKind::kVariational);
  McOptions mc = all_passes();
  std::size_t settled = 0;
  mc.progress = [&](std::size_t done, std::size_t of) {
    EXPECT_GE(done, settled);
    EXPECT_EQ(of, 10U);
    settled = done;
  };
  const at::Tensor images = random_images(10);
  predict_adaptively(tiny.engine, *tiny.network, images, mc, {}, class_alone(), {});
  EXPECT_EQ(settled, 10U);
  mc.interrupted = [] { return true; };
  expect_error<Interrupted>(
      [&] { predict_adaptively(tiny.engine, *tiny.network, images, mc, {}, class_alone(), {}); },
      "interrupted");
}

}  // namespace
}  // namespace cubcal::test
