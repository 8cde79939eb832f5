#include "cubcal_nn/infer/weight_import.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "cubcal/core/error.h"
#include "expect_error.h"
#include "infer/tiny_model.h"

namespace cubcal::test {
namespace {

NdArray to_array(const at::Tensor& tensor) {
  const at::Tensor values = tensor.contiguous();
  NdArray array(DType::kF32,
                std::vector<std::size_t>(values.sizes().begin(), values.sizes().end()));
  std::memcpy(array.bytes(), values.data_ptr(), array.byte_size());
  return array;
}

NdArray counter(std::int64_t value) {
  NdArray array(DType::kI64, {});
  *array.as<std::int64_t>() = value;
  return array;
}

bool ends_with(const std::string& name, const std::string& ending) {
  return name.size() >= ending.size() &&
         name.compare(name.size() - ending.size(), ending.size(), ending) == 0;
}

/// The name Bayesian-Torch gives a Gaussian tensor.
std::string bayesian_torch_name(const std::string& name, const at::Tensor& tensor) {
  const auto replaced = [&](const std::string& ending, const std::string& by) {
    return name.substr(0, name.size() - ending.size()) + by;
  };
  const bool convolution = tensor.dim() == 4;
  if (ends_with(name, "weight.mu"))
    return replaced("weight.mu", convolution ? "mu_kernel" : "mu_weight");
  if (ends_with(name, "weight.rho"))
    return replaced("weight.rho", convolution ? "rho_kernel" : "rho_weight");
  if (ends_with(name, "bias.mu")) return replaced("bias.mu", "mu_bias");
  if (ends_with(name, "bias.rho")) return replaced("bias.rho", "rho_bias");
  return name;
}

/// The network's state as Bayesian-Torch would save it.
StateDict bayesian_torch_dict(const Network& network) {
  StateDict weights;
  for (const auto& [name, tensor] : network.parameters().named_tensors()) {
    if (ends_with(name, "prior_mean")) continue;
    weights.add(bayesian_torch_name(name, tensor), to_array(tensor));
    if (ends_with(name, "running_var")) {
      weights.add(name.substr(0, name.size() - 11) + "num_batches_tracked", counter(3));
    }
  }
  return weights;
}

/// The network's state under its own names, but for the given ones.
StateDict own_dict(const Network& network, const std::string& without = "-") {
  StateDict weights;
  for (const auto& [name, tensor] : network.parameters().named_tensors()) {
    if (name.rfind(without, 0) != 0) weights.add(name, to_array(tensor));
  }
  return weights;
}

at::Tensor tensor_named(const Network& network, const std::string& wanted) {
  for (const auto& [name, tensor] : network.parameters().named_tensors()) {
    if (name == wanted) return tensor;
  }
  throw ArgumentError("no " + wanted);
}

TEST(WeightImport, TakesBayesianTorchNames) {
  const std::unique_ptr<Network> source = tiny_network(LayerKind::kVariational, 1);
  source->parameters().rho().add_(0.5);
  const std::unique_ptr<Network> target = tiny_network(LayerKind::kVariational, 2);
  const ImportReport report = import_weights(bayesian_torch_dict(*source), *target);
  EXPECT_TRUE(report.complete());
  EXPECT_TRUE(at::equal(source->parameters().mu(), target->parameters().mu()));
  EXPECT_TRUE(at::equal(source->parameters().rho(), target->parameters().rho()));
  EXPECT_TRUE(at::equal(source->parameters().point(), target->parameters().point()));
  EXPECT_FALSE(report.dropped.empty());
  EXPECT_TRUE(ends_with(report.dropped[0], "num_batches_tracked"));
  EXPECT_FALSE(report.no_prior.empty());
  EXPECT_FALSE(report.prior_sigma);
  EXPECT_TRUE(report.fresh.empty());
}

TEST(WeightImport, TakesPriorsOfBayesianTorch) {
  const std::unique_ptr<Network> network = tiny_network(LayerKind::kVariational);
  StateDict weights = bayesian_torch_dict(*network);
  const at::Tensor mu = tensor_named(*network, "conv1.weight.mu");
  weights.add("conv1.prior_weight_mu", to_array(at::full_like(mu, 0.25)));
  weights.add("conv1.prior_weight_sigma", to_array(at::full_like(mu, 0.5)));
  weights.add("conv1.eps_kernel", to_array(mu));
  const ImportReport report = import_weights(weights, *network);
  EXPECT_TRUE(report.complete());
  EXPECT_EQ(report.prior_sigma, 0.5);
  EXPECT_EQ(tensor_named(*network, "conv1.weight.prior_mean").min().item<double>(), 0.25);
  EXPECT_EQ(std::count(report.no_prior.begin(), report.no_prior.end(), "conv1.weight"), 0);

  weights.add("fc.0.prior_bias_sigma", to_array(at::full({32}, 0.75)));
  expect_error<DataError>([&] { import_weights(weights, *network); },
                          "prior sigmas that differ, from 'fc.0.prior_bias_sigma' on");
}

TEST(WeightImport, ReportsEveryNameWithoutAPartner) {
  const std::unique_ptr<Network> source = tiny_network(LayerKind::kDeterministic, 1);
  StateDict weights = own_dict(*source, "fc.");
  weights.add("fc.weight", to_array(at::ones({1000, 64})));
  weights.add("fc.bias", to_array(at::ones({1000})));
  const std::unique_ptr<Network> target = tiny_network(LayerKind::kDeterministic, 2);
  const ImportReport report = import_weights(weights, *target);
  EXPECT_FALSE(report.complete());
  EXPECT_EQ(report.missing,
            (std::vector<std::string>{"fc.0.weight", "fc.0.bias", "fc.3.weight", "fc.3.bias"}));
  EXPECT_EQ(report.unexpected, (std::vector<std::string>{"fc.bias", "fc.weight"}));
}

TEST(WeightImport, LeavesTheHeadFreshWhenAllowed) {
  const std::unique_ptr<Network> source = tiny_network(LayerKind::kDeterministic, 1);
  StateDict weights = own_dict(*source, "fc.");
  weights.add("fc.weight", to_array(at::ones({1000, 64})));
  weights.add("fcx.bias", to_array(at::ones({1000})));
  const std::unique_ptr<Network> target = tiny_network(LayerKind::kDeterministic, 2);
  const at::Tensor fresh = tensor_named(*target, "fc.0.weight").clone();
  const ImportReport report = import_weights(weights, *target, {{"fc"}, {"fc"}, ""});
  EXPECT_EQ(report.fresh.size(), 4U);
  EXPECT_EQ(report.ignored, (std::vector<std::string>{"fc.weight"}));
  EXPECT_EQ(report.unexpected, (std::vector<std::string>{"fcx.bias"})) << "a path, not a beginning";
  EXPECT_TRUE(at::equal(tensor_named(*target, "fc.0.weight"), fresh));
  EXPECT_TRUE(
      at::equal(tensor_named(*target, "conv1.weight"), tensor_named(*source, "conv1.weight")));
}

TEST(WeightImport, StripsThePrefixItIsTold) {
  const std::unique_ptr<Network> source = tiny_network(LayerKind::kDeterministic, 1);
  StateDict weights;
  for (const NamedArray& entry : own_dict(*source)) {
    weights.add("module." + entry.name, to_array(tensor_of(entry.values)));
  }
  const std::unique_ptr<Network> target = tiny_network(LayerKind::kDeterministic, 2);
  EXPECT_FALSE(import_weights(weights, *target).complete());
  EXPECT_TRUE(import_weights(weights, *target, {{}, {}, "module."}).complete());
  weights.add("epoch", to_array(at::ones({1})));
  EXPECT_EQ(import_weights(weights, *target, {{}, {}, "module."}).unexpected,
            (std::vector<std::string>{"epoch"}));
}

TEST(WeightImport, NeverTakesOneKindForAnother) {
  const std::unique_ptr<Network> point = tiny_network(LayerKind::kDeterministic);
  const std::unique_ptr<Network> gaussian = tiny_network(LayerKind::kVariational);
  const ImportReport report = import_weights(own_dict(*point), *gaussian);
  EXPECT_NE(std::find(report.missing.begin(), report.missing.end(), "conv1.weight.mu"),
            report.missing.end());
  EXPECT_NE(std::find(report.unexpected.begin(), report.unexpected.end(), "conv1.weight"),
            report.unexpected.end());
  EXPECT_FALSE(import_weights(bayesian_torch_dict(*gaussian), *point).complete());
}

TEST(WeightImport, ReportsShapes) {
  const std::unique_ptr<Network> network = tiny_network(LayerKind::kDeterministic);
  StateDict weights = own_dict(*network, "fc.3.bias");
  weights.add("fc.3.bias", to_array(at::ones({5})));
  EXPECT_EQ(import_weights(weights, *network).misshapen,
            (std::vector<std::string>{"fc.3.bias: expected (3), got (5)"}));
}

TEST(WeightImport, RefusesValuesThatAreNoWeights) {
  const std::unique_ptr<Network> network = tiny_network(LayerKind::kDeterministic);
  StateDict not_finite = own_dict(*network, "fc.3.bias");
  not_finite.add("fc.3.bias", to_array(at::full({3}, std::numeric_limits<float>::quiet_NaN())));
  expect_error<DataError>([&] { import_weights(not_finite, *network); },
                          "'fc.3.bias' of the file holds a value that is not finite");
  StateDict integers = own_dict(*network, "fc.3.bias");
  integers.add("fc.3.bias", counter(1));
  expect_error<DataError>([&] { import_weights(integers, *network); },
                          "'fc.3.bias' of the file is int64, but weights must be");
  const std::unique_ptr<Network> gaussian = tiny_network(LayerKind::kVariational);
  StateDict twice = bayesian_torch_dict(*gaussian);
  twice.add("conv1.mu_weight", to_array(tensor_named(*gaussian, "conv1.weight.mu")));
  expect_error<DataError>([&] { import_weights(twice, *gaussian); },
                          "'conv1.mu_kernel' and 'conv1.mu_weight' of the file mean the same");
}

TEST(WeightImport, ReadsEveryContainerOfTheVectors) {
  // The vectors hold a few layers under Bayesian-Torch's names; two of them are the network's.
  const std::string folder = std::string(CUBCAL_TEST_DATA) + "/weights/";
  for (const char* name : {"zip.pth", "legacy.pth", "protocol4.pth", "hand.safetensors"}) {
    SCOPED_TRACE(name);
    const std::unique_ptr<Network> network = tiny_network(LayerKind::kVariational);
    const ImportReport report =
        import_weights(read_state_dict(folder + name), *network,
                       {{}, {"mask", "bytes", "small", "short", "int", "empty"}, ""});
    EXPECT_EQ(report.dropped, (std::vector<std::string>{"bn1.num_batches_tracked"}));
    EXPECT_EQ(report.misshapen, (std::vector<std::string>{
                                    "conv1.weight.mu: expected (16, 1, 5, 5), got (2, 3, 3, 3)",
                                    "conv1.weight.rho: expected (16, 1, 5, 5), got (2, 3, 3, 3)"}));
    EXPECT_EQ(report.unexpected,
              (std::vector<std::string>{"fc.mu_bias", "fc.rho_bias", "fc.mu_weight",
                                        "fc.rho_weight", "scale"}));
    EXPECT_GT(report.missing.size(), 20U);
  }
}

}  // namespace
}  // namespace cubcal::test
