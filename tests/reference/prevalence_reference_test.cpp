// Holds another prevalence against what make_prevalence.py beside this file finds for the same
// cases with SciPy, scikit-learn and NumPy.

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cubcal/io/logits_file.h"
#include "cubcal/prevalence/study.h"

namespace cubcal {
namespace {

using Json = nlohmann::json;

/// The samples of the script's new_samples().
Predictive new_samples_of(const Predictive& all) {
  Predictive some;
  some.classes = all.classes;
  for (std::size_t i = 0; i < all.samples; ++i) {
    if (i % 3 == 0 && i <= all.samples / 2) continue;
    const double* row = &all.probabilities[i * all.classes];
    some.probabilities.insert(some.probabilities.end(), row, row + all.classes);
    some.predicted.push_back(all.predicted[i]);
    some.confidence.push_back(all.confidence[i]);
    some.entropy.push_back(all.entropy[i]);
    some.aleatoric.push_back(all.aleatoric[i]);
    ++some.samples;
  }
  return some;
}

class PrevalenceReference : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const std::filesystem::path folder = std::filesystem::path(CUBCAL_TEST_DATA) / "reference";
    const LogitsFile file = read_logits_file((folder / (GetParam() + ".npz")).string());
    std::ifstream in(folder / "prevalence" / (GetParam() + ".json"));
    expected_ = Json::parse(in);
    const Predictive predictive = predict(McLogits(file.logits));
    const Predictive fresh = new_samples_of(predictive);
    PrevalenceOptions options;
    options.accept_up_to = 0.6;
    options.to = ClassShares(predictive.classes);
    const double whole = std::pow(2.0, static_cast<double>(predictive.classes)) - 1;
    for (std::size_t k = 0; k < predictive.classes; ++k) {
      (*options.to)[k] = std::pow(2.0, static_cast<double>(k)) / whole;
    }
    study_ = study_prevalence({predictive, file.labels, {}}, NewSamples{fresh, {}}, options);
    tolerance_ = file.logits.dtype() == DType::kF64 ? 1e-7 : 1e-6;
  }

  void expect_shares(const std::vector<double>& found, const Json& expected,
                     const char* what) const {
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t k = 0; k < found.size(); ++k) {
      EXPECT_NEAR(found[k], expected[k].get<double>(), tolerance_) << what << " of class " << k;
    }
  }

  void expect_view(const PrevalenceView& view, const std::string& key) const {
    for (const Metric metric : kWeightedMetrics) {
      const char* name = metric_infos()[static_cast<std::size_t>(metric)].key;
      EXPECT_NEAR(*view.values[metric], expected_[key][name].get<double>(), tolerance_)
          << key << " " << name;
    }
    EXPECT_NEAR(view.accepted->share, expected_["accepted"][key]["share"].get<double>(),
                tolerance_);
    EXPECT_NEAR(*view.accepted->error, expected_["accepted"][key]["error"].get<double>(),
                tolerance_);
    const Json& kept = expected_["kept"][key];
    ASSERT_EQ(view.kept.has_value(), !kept.is_null());
    if (view.kept) {
      EXPECT_NEAR(view.kept->threshold, kept.get<double>(), tolerance_);
    }
  }

  Json expected_;
  PrevalenceStudy study_;
  double tolerance_ = 0;
};

TEST_P(PrevalenceReference, Estimates) {
  expect_shares(study_.from, expected_["from"], "the implied prevalence");
  expect_shares(study_.estimate->em.prevalence, expected_["em"], "EM");
  ASSERT_TRUE(study_.estimate->black_box);
  const BlackBoxEstimate& black_box = *study_.estimate->black_box;
  expect_shares(black_box.raw, expected_["bbse"]["raw"], "BBSE, raw");
  expect_shares(black_box.prevalence, expected_["bbse"]["prevalence"], "BBSE");
  EXPECT_NEAR(black_box.condition, expected_["bbse"]["condition"].get<double>(), 1e-9);
}

TEST_P(PrevalenceReference, WeighedMetricsAndPromise) {
  EXPECT_NEAR(study_.effective_samples, expected_["effective_samples"].get<double>(), 1e-9);
  expect_view(study_.there, "there");
  expect_view(study_.corrected, "corrected");
}

INSTANTIATE_TEST_SUITE_P(Cases, PrevalenceReference,
                         testing::Values("ties_k2", "float16_k3", "big_endian_k5"),
                         [](const auto& item) { return item.param; });

}  // namespace
}  // namespace cubcal
