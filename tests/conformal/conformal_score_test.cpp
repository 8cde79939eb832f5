#include "cubcal/conformal/conformal_score.h"

#include <gtest/gtest.h>

#include "cubcal/core/error.h"
#include "expect_error.h"

namespace cubcal {
namespace {

std::vector<double> scores_of(const std::vector<double>& p, ConformalScore score, double u = 1) {
  ScoreOptions options;
  options.score = score;
  options.penalty = 0.1;
  std::vector<double> scores;
  conformal_scores(p.data(), p.size(), options, u, scores);
  return scores;
}

void expect_near(const std::vector<double>& actual, const std::vector<double>& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t k = 0; k < actual.size(); ++k) EXPECT_NEAR(actual[k], expected[k], 1e-12);
}

TEST(ConformalScore, AsTheFormulasSay) {
  const std::vector<double> p{0.2, 0.5, 0.3};
  expect_near(scores_of(p, ConformalScore::kLac), {0.8, 0.5, 0.7});
  expect_near(scores_of(p, ConformalScore::kAps), {0.8, 0, 0.5});
  expect_near(scores_of(p, ConformalScore::kAps, 0.25), {0.95, 0.375, 0.725});
  expect_near(scores_of(p, ConformalScore::kRaps), {1.0, 0, 0.6});
}

TEST(ConformalScore, OfEqualProbabilitiesTheLowerClassComesFirst) {
  expect_near(scores_of({0.4, 0.2, 0.4}, ConformalScore::kAps), {0, 0.8, 0.4});
}

TEST(ConformalScore, NamesRoundTrip) {
  for (const char* name : {"lac", "aps", "raps"}) {
    EXPECT_STREQ(score_name(score_from_name(name)), name);
  }
  test::expect_error<ArgumentError>([] { score_from_name("thr"); },
                                    "the conformal score must be lac, aps or raps, not 'thr'");
  ScoreOptions options;
  options.penalty = -1;
  test::expect_error<ArgumentError>([&] { check_score_options(options); }, "the penalty");
}

}  // namespace
}  // namespace cubcal
