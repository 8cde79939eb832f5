// Every detector against an implementation of its own in NumPy and SciPy: make_reference.py.

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>

#include "cubcal/io/npz.h"
#include "cubcal_nn/ood/registry.h"

namespace cubcal::test {
namespace {

class Reference : public testing::Test {
 protected:
  at::Tensor tensor(const std::string& name) const {
    const NdArray array = npz_.read(name);
    const std::vector<std::int64_t> shape(array.shape().begin(), array.shape().end());
    c10::ScalarType type = at::kDouble;
    if (array.dtype() == DType::kF32) type = at::kFloat;
    if (array.dtype() == DType::kI64) type = at::kLong;
    return at::from_blob(const_cast<std::byte*>(array.bytes()), shape, at::dtype(type)).clone();
  }

  /// Fits on float32 features in uneven batches and holds the scores against the file's.
  void expect_scores(const std::string& detector_name, const std::string& expected_name,
                     const DetectorInput& train, const DetectorInput& test,
                     DetectorOptions options = {}) const {
    options.neighbours = 5;
    options.seed = 11;
    const std::unique_ptr<Detector> detector = make_detector(detector_name, options);
    fit_detector(*detector, train, tensor("labels"), 33);
    const std::vector<double> scores = score_all(*detector, test, 7);
    const at::Tensor expected = tensor(expected_name);
    ASSERT_EQ(scores.size(), static_cast<std::size_t>(expected.numel()));
    for (std::size_t i = 0; i < scores.size(); ++i) {
      const double value = expected.data_ptr<double>()[i];
      EXPECT_NEAR(scores[i], value, 1e-6 * std::fabs(value)) << detector_name << ", sample " << i;
    }
  }

  DetectorInput both(const std::string& split) const {
    return {{tensor(split + "1"), tensor(split + "2")},
            tensor(split + "_logits"),
            tensor(split + "_appearance")};
  }

  NpzReader npz_{std::string(CUBCAL_TEST_DATA) + "/ood/reference.npz"};
};

TEST_F(Reference, EveryDetector) {
  for (const DetectorEntry& each : detector_entries()) {
    std::string array = each.name;
    for (char& character : array) {
      if (character == '-' || character == '+') character = '_';
    }
    expect_scores(each.name, array, both("train"), both("test"));
  }
}

TEST_F(Reference, SingularCovarianceIsShrunk) {
  const DetectorInput train{{tensor("singular_train")}};
  const DetectorInput test{{tensor("singular_test")}};
  expect_scores("mahalanobis", "singular_mahalanobis", train, test);
  expect_scores("relative-mahalanobis", "singular_relative_mahalanobis", train, test);
}

}  // namespace
}  // namespace cubcal::test
