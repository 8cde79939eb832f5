#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "cubcal_nn/models/registry.h"
#include "models/formula_values.h"

namespace cubcal {
namespace {

using testing_models::fill_by_formula;
using testing_models::formula_values;

TEST(Reference, NetworksEqualTorchAndTorchvisionForTheSameWeights) {
  std::ifstream file(CUBCAL_MODEL_REFERENCE);
  ASSERT_TRUE(file) << CUBCAL_MODEL_REFERENCE;
  const c10::NoGradGuard no_grad;
  const at::Tensor images = formula_values("images", {2, 3, 64, 64});
  int networks = 0;
  for (std::string line; std::getline(file, line); ++networks) {
    std::istringstream text(line);
    std::string name;
    std::int64_t parameters = 0;
    NetworkOptions options;
    options.height = options.width = 64;
    options.dtype = at::kDouble;
    text >> name >> parameters >> options.classes;
    if (const std::size_t colon = name.find(':'); colon != std::string::npos) {
      options.head = parse_head_kind(name.substr(colon + 1));
      name.resize(colon);
    }
    const std::unique_ptr<Network> network = make_network(name, options);
    EXPECT_EQ(network->parameters().parameter_count(), parameters) << name;
    fill_by_formula(network->parameters());
    const at::Tensor logits = network->forward(images, network->mean_context()).reshape({-1});
    for (std::int64_t i = 0; i < logits.numel(); ++i) {
      double expected = 0;
      ASSERT_TRUE(text >> expected) << name;
      EXPECT_NEAR(logits[i].item<double>(), expected, 1e-9 * (1 + std::abs(expected))) << name;
    }
  }
  EXPECT_EQ(networks, 10);
}

}  // namespace
}  // namespace cubcal
