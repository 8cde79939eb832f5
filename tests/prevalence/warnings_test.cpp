#include "cubcal/prevalence/warnings.h"

#include <gtest/gtest.h>

#include "prevalence/drawn_samples.h"

namespace cubcal {
namespace {

PrevalenceStudy calm_study() {
  const auto drawn = test::drawn_samples(1000, {0.5, 0.3, 0.2}, {0.5, 0.3, 0.2}, 1);
  const auto fresh = test::drawn_samples(1000, {0.3, 0.3, 0.4}, {0.5, 0.3, 0.2}, 2);
  PrevalenceOptions options;
  options.class_names = {"a", "b", "c"};
  options.bootstrap = BootstrapOptions{30, 0.95, 0};
  return study_prevalence({drawn.predictive, drawn.labels, {}}, NewSamples{fresh.predictive, {}},
                          options);
}

void expect_one(const PrevalenceStudy& study, const std::string& words) {
  const std::vector<std::string> warnings = prevalence_warnings(study);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_NE(warnings[0].find(words), std::string::npos) << warnings[0];
}

TEST(PrevalenceWarnings, ThereAreNoneWithoutReason) {
  EXPECT_EQ(prevalence_warnings(calm_study()), std::vector<std::string>{});
}

TEST(PrevalenceWarnings, OneForEachReason) {
  const PrevalenceStudy calm = calm_study();
  PrevalenceStudy study = calm;
  study.effective_samples = 99;
  study.class_weights = {0.1, 12, 1};
  expect_one(study, "The 1000 samples count as 99 at the new prevalence (each of 'b' weighs 12)");
  study = calm;
  study.mean_probability = {0.6, 0.2, 0.2};
  expect_one(study, "that prevalence is wrong, or they are not calibrated");
  study = calm;
  study.estimate->em.converged = false;
  expect_one(study, "EM was still moving");
  study = calm;
  study.estimate->black_box->condition = 25;
  expect_one(study, "a condition of 25");
  study = calm;
  study.estimate->black_box.reset();
  expect_one(study, "The confusion matrix is singular");
  for (std::int32_t& each : study.here.facts.predicted) each = each == 1 ? 0 : each;
  expect_one(study,
             "No labelled sample is answered with 'b': there is no estimate from answers to "
             "compare with, and what EM says of this class is unchecked.");
  for (std::int32_t& each : study.here.facts.predicted) each = 0;
  expect_one(study, "answered with 'b', 'c': there is");
  study = calm;
  study.estimate->difference_intervals[2] = Interval{0.01, 0.2, 30};
  expect_one(study, "The two estimates of 'c' differ by more than chance");
}

}  // namespace
}  // namespace cubcal
