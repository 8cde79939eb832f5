#include "cubcal/calibration/guard.h"

#include <gtest/gtest.h>

#include "cubcal/calibration/fit.h"
#include "cubcal/metrics/classification.h"
#include "random_logits.h"

namespace cubcal {
namespace {

using test::LogitSet;
using test::LogitShape;
using test::random_logits;

double rise_of_nll(const LogitSet& set, const Calibration& calibration) {
  const Predictive before = predict(set.view());
  const Predictive after = apply_calibration(calibration, set.view(), before);
  return negative_log_likelihood(sample_facts(after, set.labels, {})) /
             negative_log_likelihood(sample_facts(before, set.labels, {})) -
         1;
}

LogitShape small_set() {
  LogitShape shape;
  shape.samples = 300;
  shape.label_noise = 0.1;
  return shape;
}

/// How many of `draws` fits let NLL rise by more than the tolerance on many new samples.
int broken_promises(std::size_t folds, int draws) {
  LogitShape many = small_set();
  many.samples = 2000;
  const LogitSet fresh = random_logits(many, 99);
  int broken = 0;
  for (int draw = 1; draw <= draws; ++draw) {
    const LogitSet set = random_logits(small_set(), static_cast<std::uint64_t>(draw));
    FitOptions options;
    options.method = CalibrationMethod::kDtsGuarded;
    options.guard_folds = folds;
    options.grid = 61;
    options.refinements = 1;
    const Calibration calibration = fit_calibration(set.view(), set.labels, options).calibration;
    if (rise_of_nll(fresh, calibration) > options.nll_tolerance) ++broken;
  }
  return broken;
}

TEST(Guard, HoldsOnSamplesThatWereNotFitted) {
  const int draws = 20;
  EXPECT_GE(broken_promises(0, draws), draws / 4) << "a bound on the fitted set alone is broken";
  EXPECT_LE(broken_promises(10, draws), draws / 10);
}

TEST(Guard, KeepsGroupsTogether) {
  // Each patient has eight images of one kind: as single images they would vouch for each other.
  LogitShape shape = small_set();
  shape.samples = 40;
  const LogitSet patients = random_logits(shape, 5);
  LogitSet images{patients.passes, 320, patients.classes, {}, {}};
  images.values.resize(patients.values.size() * 8);
  std::vector<std::string> groups;
  for (std::size_t i = 0; i < 320; ++i) {
    for (std::size_t s = 0; s < images.passes; ++s) {
      for (std::size_t k = 0; k < images.classes; ++k) {
        images.at(s, i, k) = patients.at(s, i / 8, k) + 1e-3 * static_cast<double>(i % 8);
      }
    }
    images.labels.push_back(patients.labels[i / 8]);
    groups.push_back("patient " + std::to_string(i / 8));
  }
  FitOptions options;
  options.method = CalibrationMethod::kDtsGuarded;
  const Calibration alone = fit_calibration(images.view(), images.labels, options).calibration;
  const Calibration grouped =
      fit_calibration(images.view(), images.labels, options, groups).calibration;
  EXPECT_GE(rise_of_nll(images, alone), rise_of_nll(images, grouped));
}

TEST(Guard, IsNamedByTheFit) {
  const LogitSet set = random_logits(small_set(), 5);
  FitOptions options;
  options.grid = 21;
  const auto guard = [&](CalibrationMethod method, std::size_t folds,
                         const std::vector<std::string>& groups = {}) {
    options.method = method;
    options.guard_folds = folds;
    return fit_calibration(set.view(), set.labels, options, groups).guard;
  };
  EXPECT_EQ(guard(CalibrationMethod::kDtsGuarded, 10), "10-fold cross-validation");
  EXPECT_EQ(guard(CalibrationMethod::kDtsGuarded, 0), "fitted set");
  const std::vector<std::string> one_patient(set.labels.size(), "a");
  EXPECT_EQ(guard(CalibrationMethod::kDtsGuarded, 10, one_patient), "fitted set");
  EXPECT_EQ(guard(CalibrationMethod::kDts, 10), "");
}

}  // namespace
}  // namespace cubcal
