#include "cubcal_nn/models/network.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <gtest/gtest.h>

#include <set>

#include "cubcal/core/error.h"
#include "cubcal_nn/bayes/moped.h"
#include "cubcal_nn/models/registry.h"
#include "models/formula_values.h"

namespace cubcal {
namespace {

using testing_models::fill_by_formula;
using testing_models::formula_values;

NetworkOptions small(LayerKind kind) {
  NetworkOptions options;
  options.classes = 4;
  options.channels = 1;
  options.height = options.width = 28;
  options.kind = kind;
  options.seed = 3;
  return options;
}

at::Tensor small_images(std::int64_t count) {
  return formula_values("small images", {count, 1, 28, 28}).to(at::kFloat);
}

TEST(Registry, ListsTheKnownNames) {
  EXPECT_EQ(network_names(),
            (std::vector<std::string>{"convnext-tiny", "covidnet-large", "densenet121",
                                      "efficientnet-b0", "resnet18", "resnet34", "resnet50",
                                      "resnet50-v1", "resnet101", "small-resnet", "vit-s16"}));
  try {
    make_network("resnet35", {});
    FAIL();
  } catch (const ArgumentError& error) {
    EXPECT_STREQ(
        error.what(),
        "there is no network named 'resnet35'; the known ones are convnext-tiny, covidnet-large, "
        "densenet121, efficientnet-b0, resnet18, resnet34, resnet50, resnet50-v1, resnet101, "
        "small-resnet, vit-s16");
  }
}

TEST(CovidNetLarge, HasTheParametersOfTheTable) {
  NetworkOptions options;
  options.classes = 3;
  EXPECT_EQ(make_network("covidnet-large", options)->parameters().parameter_count(), 23'230'587);
  options.height = options.width = 64;
  const auto network = make_network("covidnet-large", options);
  const ParameterStore& store = network->parameters();
  const auto& head = store.parameters()[store.index_of("fc1.weight")];
  EXPECT_EQ(head.shape, (std::vector<std::int64_t>{1024, 424 * 2 * 2}));
  options.height = 16;
  EXPECT_THROW(make_network("covidnet-large", options), ArgumentError);
}

TEST(CovidNetLarge, HeadFitsOddImageSizes) {
  NetworkOptions options;
  options.classes = 2;
  options.channels = 1;
  options.height = 47;
  options.width = 65;
  const auto network = make_network("covidnet-large", options);
  const c10::NoGradGuard no_grad;
  const at::Tensor logits = network->forward(at::ones({1, 1, 47, 65}), network->mean_context());
  EXPECT_EQ(logits.sizes(), (std::vector<std::int64_t>{1, 2}));
}

TEST(ResNet, ParameterNamesAreTorchvisions) {
  NetworkOptions options;
  options.kind = LayerKind::kVariational;
  const auto network = make_network("resnet50", options);
  const ParameterStore& store = network->parameters();
  std::set<std::string> paths;
  for (const ParameterEntry& entry : store.parameters()) paths.insert(entry.path);
  for (const BufferEntry& entry : store.buffers()) paths.insert(entry.path);
  for (const char* path :
       {"conv1.weight", "bn1.weight", "bn1.running_var", "layer1.0.conv3.weight",
        "layer1.0.downsample.0.weight", "layer1.0.downsample.1.running_mean", "layer3.5.bn2.bias",
        "layer4.2.conv1.weight", "fc.0.weight", "fc.0.bias", "fc.3.weight"}) {
    EXPECT_EQ(paths.count(path), 1U) << path;
  }
  EXPECT_EQ(paths.size(), store.parameters().size() + store.buffers().size());
  EXPECT_EQ(store.parameters()[store.index_of("conv1.weight")].kind, ParameterKind::kVariational);
  EXPECT_EQ(store.parameters()[store.index_of("bn1.weight")].kind, ParameterKind::kPoint);
}

TEST(Network, TapsEveryStageAndThePenultimateLayer) {
  const c10::NoGradGuard no_grad;
  const auto network = make_network("small-resnet", small(LayerKind::kDeterministic));
  Features features;
  const at::Tensor logits = network->forward(small_images(2), network->mean_context(), &features);
  EXPECT_EQ(network->feature_names(),
            (std::vector<std::string>{"stage1", "stage2", "stage3", "penultimate"}));
  ASSERT_EQ(features.taps.size(), 4U);
  const std::int64_t widths[] = {16, 32, 64, 32};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(features.taps[i].sizes(), (std::vector<std::int64_t>{2, widths[i]}));
  }
  EXPECT_EQ(logits.sizes(), (std::vector<std::int64_t>{2, 4}));
}

TEST(ResNet, LinearHeadIsOneLayerBehindDropout) {
  NetworkOptions options = small(LayerKind::kMcDropout);
  options.head = HeadKind::kLinear;
  const auto network = make_network("small-resnet", options);
  const ParameterStore& store = network->parameters();
  EXPECT_EQ(store.parameters()[store.index_of("fc.weight")].shape,
            (std::vector<std::int64_t>{4, 64}));
  EXPECT_THROW(store.index_of("fc.0.weight"), ArgumentError);
  EXPECT_EQ(network->dropout_layers(), 1U);
  EXPECT_THROW(parse_head_kind("paper"), ArgumentError);
  options.height = options.width = 64;
  EXPECT_THROW(make_network("covidnet-large", options), ArgumentError);
}

TEST(Network, SizesThatCannotBeAreRefused) {
  NetworkOptions options;
  options.height = 100;
  try {
    make_network("vit-s16", options);
    FAIL();
  } catch (const ArgumentError& error) {
    EXPECT_STREQ(error.what(), "an image side for vit-s16 must be a multiple of 16, not 100");
  }
  options.height = 16;
  EXPECT_THROW(make_network("convnext-tiny", options), ArgumentError);
}

/// Every network that is not of the residual family: all kinds of it answer, tap and differ by
/// pass.
TEST(Network, EachIsWrittenOnceForAllKinds) {
  const c10::NoGradGuard no_grad;
  for (const char* name : {"convnext-tiny", "densenet121", "efficientnet-b0", "vit-s16"}) {
    NetworkOptions options;
    options.classes = 3;
    options.height = options.width = 32;
    const auto point = make_network(name, options);
    fill_by_formula(point->parameters());  // as drawn, little of an image reaches the end
    options.kind = LayerKind::kVariational;
    const auto bayesian = make_network(name, options);
    options.kind = LayerKind::kMcDropout;
    const auto dropout = make_network(name, options);
    convert_by_moped(point->parameters(), bayesian->parameters());
    ASSERT_TRUE(transfer(point->parameters().named_tensors(), dropout->parameters()).complete());
    const at::Tensor images = formula_values("images", {2, 3, 32, 32}).to(at::kFloat);
    Features features;
    const at::Tensor expected = point->forward(images, point->mean_context(), &features);
    ASSERT_EQ(features.taps.size(), point->feature_names().size()) << name;
    for (const at::Tensor& tap : features.taps) {
      EXPECT_EQ(tap.dim(), 2) << name;
      EXPECT_EQ(tap.size(0), 2) << name;
    }
    EXPECT_TRUE(at::equal(bayesian->forward(images, bayesian->mean_context()), expected)) << name;
    for (Network* network : {bayesian.get(), dropout.get()}) {
      WeightPasses passes(network->parameters(), 2, WeightPasses::Use::kPrediction);
      passes.draw({1, 0, 0});
      const at::Tensor first = network->forward(images, network->context(passes, 0));
      EXPECT_TRUE(at::isfinite(first).all().item<bool>()) << name;
      EXPECT_FALSE(at::allclose(first, network->forward(images, network->context(passes, 1))))
          << name;
      EXPECT_TRUE(at::equal(first, network->forward(images, network->context(passes, 0)))) << name;
    }
  }
}

TEST(Network, RefusesImagesItWasNotBuiltFor) {
  const auto network = make_network("small-resnet", small(LayerKind::kDeterministic));
  try {
    network->forward(at::ones({2, 3, 28, 28}), network->mean_context());
    FAIL();
  } catch (const ArgumentError& error) {
    EXPECT_STREQ(
        error.what(),
        "small-resnet was built for images of shape [batch, 1, 28, 28], not [2, 3, 28, 28]");
  }
  EXPECT_THROW(network->forward(at::ones({2, 1, 28, 28}, at::kDouble), network->mean_context()),
               ArgumentError);
  NetworkOptions wrong = small(LayerKind::kDeterministic);
  wrong.dropout_rate = 0.5;
  EXPECT_THROW(make_network("small-resnet", wrong), ArgumentError);
  wrong = small(LayerKind::kDeterministic);
  wrong.classes = 1;
  EXPECT_THROW(make_network("small-resnet", wrong), ArgumentError);
}

TEST(Network, ThreeModesOfTheSameWeights) {
  const c10::NoGradGuard no_grad;
  const auto trained = make_network("small-resnet", small(LayerKind::kDeterministic));
  const auto bayesian = make_network("small-resnet", small(LayerKind::kVariational));
  const auto dropout = make_network("small-resnet", small(LayerKind::kMcDropout));
  convert_by_moped(trained->parameters(), bayesian->parameters());
  EXPECT_TRUE(transfer(trained->parameters().named_tensors(), dropout->parameters()).complete());
  const at::Tensor images = small_images(3);
  const at::Tensor expected = trained->forward(images, trained->mean_context());
  EXPECT_TRUE(at::equal(bayesian->forward(images, bayesian->mean_context()), expected));
  EXPECT_TRUE(at::equal(dropout->forward(images, dropout->mean_context()), expected));

  WeightPasses passes(bayesian->parameters(), 2, WeightPasses::Use::kPrediction);
  passes.draw({1, 0, 0});
  const at::Tensor first = bayesian->forward(images, bayesian->context(passes, 0));
  EXPECT_FALSE(at::allclose(first, expected));
  EXPECT_FALSE(at::allclose(first, bayesian->forward(images, bayesian->context(passes, 1))));

  WeightPasses masks(dropout->parameters(), 2, WeightPasses::Use::kPrediction);
  masks.draw({1, 0, 0});
  const at::Tensor masked = dropout->forward(images, dropout->context(masks, 0));
  EXPECT_FALSE(at::allclose(masked, expected));
  EXPECT_FALSE(at::allclose(masked, dropout->forward(images, dropout->context(masks, 1))));
  EXPECT_TRUE(dropout->trunk_is_deterministic());
  const at::Tensor trunk = dropout->trunk(images, dropout->mean_context());
  EXPECT_TRUE(at::equal(dropout->head(trunk, dropout->context(masks, 0)), masked));
}

TEST(Network, PassesDoNotDependOnTheBatch) {
  const c10::NoGradGuard no_grad;
  for (const LayerKind kind : {LayerKind::kVariational, LayerKind::kMcDropout}) {
    const auto network = make_network("small-resnet", small(kind));
    WeightPasses passes(network->parameters(), 1, WeightPasses::Use::kPrediction);
    passes.draw_slot(0, {9, 0, 41});
    const at::Tensor images = small_images(7);
    const at::Tensor whole = network->forward(images, network->context(passes, 0));
    for (const std::int64_t batch : {1, 2, 3}) {
      for (std::int64_t first = 0; first < 7; first += batch) {
        ForwardContext context = network->context(passes, 0);
        context.first_sample = first;
        const at::Tensor part = network->forward(images.slice(0, first, first + batch), context);
        EXPECT_TRUE(at::allclose(part, whole.slice(0, first, first + batch), 1e-4, 1e-5))
            << layer_kind_name(kind) << " batch " << batch << " first " << first;
      }
    }
  }
}

}  // namespace
}  // namespace cubcal
