#include "cubcal/boundary/thresholds.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "cubcal/boundary/curve.h"
#include "cubcal/core/error.h"
#include "expect_error.h"

namespace cubcal {
namespace {

using test::expect_error;

TEST(Thresholds, AreThoseOfTheTable) {
  struct Row {
    std::size_t classes;
    double gamma_high;
  };
  for (const Row& row : {Row{2, 0.900038}, {3, 0.922922}, {5, 0.936382}, {7, 0.942077}}) {
    const Thresholds thresholds = thresholds_from_eta(0.325, row.classes);
    EXPECT_NEAR(thresholds.gamma_low, 0.900038, 1e-6);
    EXPECT_NEAR(thresholds.gamma_high, row.gamma_high, 1e-6);
    EXPECT_EQ(thresholds.eta, 0.325);
  }
}

TEST(Thresholds, SolveTheirEquations) {
  for (const double eta : {1e-9, 1e-3, 0.1, 0.325, 0.5, 0.69, 0.693147}) {
    for (const std::size_t classes : {2, 3, 5, 7, 50, 1000}) {
      const Thresholds thresholds = thresholds_from_eta(eta, classes);
      EXPECT_NEAR(u_min(thresholds.gamma_low, classes), eta, 1e-12) << eta << " " << classes;
      EXPECT_NEAR(u_max(thresholds.gamma_high, classes), eta, 1e-12) << eta << " " << classes;
      EXPECT_GE(thresholds.gamma_low, 0.5);
    }
  }
}

TEST(Thresholds, AreUsableForEveryEta) {
  for (double eta = 1e-18; eta < std::log(2.0); eta *= 1.7) {
    for (const std::size_t classes : {2, 3, 4, 10, 1000}) {
      EXPECT_NO_THROW(check_thresholds(thresholds_from_eta(eta, classes))) << eta << " " << classes;
    }
  }
}

TEST(Thresholds, RefuseEtaOutsideItsInterval) {
  for (const double eta : {-1.0, 0.0, std::log(2.0), 0.7, std::numeric_limits<double>::infinity(),
                           std::numeric_limits<double>::quiet_NaN()}) {
    expect_error<ArgumentError>([&] { thresholds_from_eta(eta, 3); },
                                "eta must be in (0, ln 2 = 0.693147), not ");
  }
  expect_error<ArgumentError>([] { thresholds_from_eta(0.325, 1); }, "at least 2, not 1");
}

TEST(Thresholds, OfThePaperAreItsTriple) {
  const Thresholds paper = paper_thresholds();
  EXPECT_EQ(paper.gamma_low, 0.9);
  EXPECT_EQ(paper.gamma_high, 0.923);
  EXPECT_EQ(paper.eta, 0.325);
  EXPECT_NO_THROW(check_thresholds(paper));
}

TEST(Thresholds, FromOutsideAreChecked) {
  expect_error<ArgumentError>(
      [] {
        check_thresholds({0.9, 0.95, 0.0});
      },
      "eta must be a positive number, not 0");
  expect_error<ArgumentError>(
      [] {
        check_thresholds({0.0, 0.95, 0.3});
      },
      "gamma_low must be in (0, 1), not 0");
  expect_error<ArgumentError>(
      [] {
        check_thresholds({0.9, 0.8, 0.3});
      },
      "gamma_high must be in [0.9, 1], not 0.8");
  expect_error<ArgumentError>(
      [] {
        check_thresholds({0.9, 1.5, 0.3});
      },
      "gamma_high must be in [0.9, 1], not 1.5");
}

}  // namespace
}  // namespace cubcal
