// Values and gradients against tests/data/reference/losses, which tests/reference/make_losses.py
// makes from the definitions; python/tests holds the Python package against the same files.

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>

#include "cubcal/io/npz.h"
#include "cubcal_nn/bayes/kl.h"
#include "cubcal_nn/kernels/sigma.h"
#include "cubcal_nn/losses/avuc_loss.h"
#include "cubcal_nn/losses/cross_entropy.h"
#include "cubcal_nn/losses/cub_loss.h"

namespace cubcal {
namespace {

namespace fs = std::filesystem;

const fs::path kVectors = fs::path(CUBCAL_TEST_DATA) / "reference" / "losses";

class Vectors {
 public:
  explicit Vectors(const std::string& name) : npz_((kVectors / (name + ".npz")).string()) {}

  at::Tensor read(const std::string& name) const {
    NdArray array = npz_.read(name);
    const std::vector<std::int64_t> shape(array.shape().begin(), array.shape().end());
    const auto type = array.dtype() == DType::kI64 ? at::kLong : at::kDouble;
    return at::from_blob(array.bytes(), shape, type).clone();
  }

 private:
  NpzReader npz_;
};

void expect_near(const at::Tensor& value, const at::Tensor& expected, const std::string& what) {
  const double scale = std::max(1.0, expected.abs().max().item<double>());
  EXPECT_LT((value - expected).abs().max().item<double>() / scale, 1e-9) << what;
}

class LossVectors : public testing::TestWithParam<const char*> {};

TEST_P(LossVectors, ValuesAndGradientsAgree) {
  const Vectors vectors(GetParam());
  const at::Tensor labels = vectors.read("labels");
  const at::Tensor weights = vectors.read("class_weights");
  const std::pair<const char*, std::function<at::Tensor(const at::Tensor&)>> losses[] = {
      {"cross_entropy", [&](const at::Tensor& z) { return expected_cross_entropy(z, labels); }},
      {"weighted_cross_entropy",
       [&](const at::Tensor& z) { return expected_cross_entropy(z, labels, weights); }},
      {"cub", [&](const at::Tensor& z) { return cub_loss(mean_prediction(z), labels); }},
      {"cub_mean",
       [&](const at::Tensor& z) {
         return cub_loss(mean_prediction(z), labels, {0.6, BatchReduction::kMean, 0.1});
       }},
      {"avuc", [&](const at::Tensor& z) { return avuc_loss(mean_prediction(z), labels, 0.6); }}};
  for (const auto& [name, loss] : losses) {
    const at::Tensor logits = vectors.read("logits").set_requires_grad(true);
    const at::Tensor value = loss(logits);
    value.backward();
    expect_near(value.detach(), vectors.read(name)[0], name);
    expect_near(logits.grad(), vectors.read(std::string(name) + "_gradient"), name);
  }
}

INSTANTIATE_TEST_SUITE_P(Kept, LossVectors,
                         testing::Values("two_classes", "unsure_k3", "mixed_k5", "certain_k7",
                                         "one_pass_k4", "many_classes_k20"));

TEST(GaussianVectors, KlAndMopedAgree) {
  const Vectors vectors("gaussian");
  expect_near(kl_elements(vectors.read("mu"), vectors.read("rho"), vectors.read("prior_mean"), 0.7),
              vectors.read("kl"), "kl");
  const at::Tensor sigma = (vectors.read("weights").abs() * 0.1).clamp_min(1e-4);
  expect_near(rho_from_sigma(sigma), vectors.read("moped_rho"), "rho");
}

}  // namespace
}  // namespace cubcal
