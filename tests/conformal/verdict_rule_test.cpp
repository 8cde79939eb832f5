#include "cubcal/conformal/verdict_rule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "cubcal/core/error.h"
#include "cubcal/core/seed_stream.h"
#include "cubcal/metrics/binomial.h"
#include "expect_error.h"
#include "metrics/predictive_rows.h"

namespace cubcal::test {
namespace {

std::vector<double> normal_scores(std::size_t count, std::uint64_t stream) {
  SeedStream random(5, stream);
  std::vector<double> scores(count);
  for (double& score : scores) score = std::exp(random.normal());
  return scores;
}

/// Images with these scores; U rises from 0 to 1 and every `wrong_every`-th of the more uncertain
/// half is wrong.
struct Images {
  explicit Images(std::vector<double> given) : scores(std::move(given)) {
    for (std::size_t i = 0; i < scores.size(); ++i) {
      uncertainty.push_back(static_cast<double>(i) / static_cast<double>(scores.size()));
      correct.push_back(i < scores.size() / 2 || i % 4 != 0);
    }
  }
  HeldOutImages view() const { return {scores, uncertainty, correct}; }

  std::vector<double> scores;
  std::vector<double> uncertainty;
  std::vector<std::uint8_t> correct;
};

TEST(PValue, CountsIdScoresAtLeastAsHigh) {
  const std::vector<double> id{1, 2, 2, 3};
  EXPECT_DOUBLE_EQ(ood_p_value(id, 0.5), 1);
  EXPECT_DOUBLE_EQ(ood_p_value(id, 2), 4.0 / 5);
  EXPECT_DOUBLE_EQ(ood_p_value(id, 2.5), 2.0 / 5);
  EXPECT_DOUBLE_EQ(ood_p_value(id, 3), 2.0 / 5);
  EXPECT_DOUBLE_EQ(ood_p_value(id, 9), 1.0 / 5);
}

// Kolmogorov-Smirnov against the uniform distribution. Given one calibration set p-values share its
// fluctuation, so each comes from a set of its own.
TEST(PValue, IsUniformOnHeldOutIdImages) {
  constexpr std::size_t trials = 2000;
  constexpr std::size_t held_out = 199;
  std::vector<double> p_values;
  for (std::size_t t = 0; t < trials; ++t) {
    std::vector<double> id = normal_scores(held_out + 1, t);
    const double score = id.back();
    id.pop_back();
    std::sort(id.begin(), id.end());
    p_values.push_back(ood_p_value(id, score));
  }
  std::sort(p_values.begin(), p_values.end());
  double distance = 0;
  for (std::size_t i = 0; i < trials; ++i) {
    distance = std::max(distance, std::fabs(p_values[i] - static_cast<double>(i + 1) / trials));
    distance = std::max(distance, std::fabs(p_values[i] - static_cast<double>(i) / trials));
  }
  // 1% critical value, and the step of a p-value from 199 scores.
  EXPECT_LT(distance, 1.628 / std::sqrt(static_cast<double>(trials)) + 1.0 / (held_out + 1));
}

TEST(PValue, RejectsThePromisedShareOfIdImages) {
  for (const double alpha : {0.01, 0.05, 0.2}) {
    constexpr std::size_t trials = 4000;
    std::size_t rejected = 0;
    for (std::size_t t = 0; t < trials; ++t) {
      std::vector<double> id = normal_scores(400, 10000 + t);
      const double score = id.back();
      id.pop_back();
      std::sort(id.begin(), id.end());
      rejected += ood_p_value(id, score) <= alpha ? 1 : 0;
    }
    EXPECT_LE(lower_bound_of_share(rejected, trials, 0.995), alpha);
    EXPECT_GE(upper_bound_of_share(rejected, trials, 0.995), alpha);
  }
}

TEST(Verdict, FollowsPValueAndUncertainty) {
  VerdictRule rule;
  rule.options.alpha = 0.25;
  rule.uncertainty = 0.4;
  rule.id_scores = {1, 2, 3, 4, 5, 6, 7};
  EXPECT_EQ(judge(rule, 3.5, 0.4).decision, Decision::kAccept);
  EXPECT_EQ(judge(rule, 3.5, 0.41).decision, Decision::kRefer);
  EXPECT_EQ(judge(rule, 6.5, 0.1).decision, Decision::kOutOfScope);  // p = 2/8
  EXPECT_EQ(judge(rule, 5.5, 0.1).decision, Decision::kAccept);      // p = 3/8
  EXPECT_EQ(judge(rule, 7.5, 9).decision, Decision::kOutOfScope);
  EXPECT_DOUBLE_EQ(judge(rule, 7.5, 9).p_value, 1.0 / 8);
  expect_error<DataError>([&] { judge(rule, std::nan(""), 0); }, "must be finite");
  EXPECT_STREQ(decision_name(Decision::kOutOfScope), "out-of-scope");
}

TEST(FitVerdict, RefersAboveEtaByDefault) {
  const Images images(normal_scores(400, 1));
  const VerdictRule rule = fit_verdict(images.view(), 0.325, {});
  EXPECT_EQ(rule.uncertainty, 0.325);
  EXPECT_EQ(rule.validation.samples, 400u);
  EXPECT_EQ(rule.validation.out_of_scope, 20u);  // 5% against all others
  EXPECT_EQ(rule.validation.accepted + rule.validation.referred, 380u);
}

TEST(FitVerdict, PromisedRefusalHoldsOnOtherImages) {
  const Images images(normal_scores(2000, 2));
  const VerdictRule rule = fit_verdict(images.view(), 0.325, {});
  const Images other(normal_scores(2000, 3));
  const VerdictRates rates = verdict_rates(rule, other.view());
  EXPECT_LE(lower_bound_of_share(rates.out_of_scope, rates.samples, 0.995), 0.05);
  EXPECT_GE(upper_bound_of_share(rates.out_of_scope, rates.samples, 0.995), 0.05);
}

TEST(FitVerdict, MeetsARiskTargetAtTheLargestCoverage) {
  const Images images(normal_scores(400, 1));
  VerdictOptions options;
  options.risk_target = 0.05;
  const VerdictRule rule = fit_verdict(images.view(), 0.325, options);
  EXPECT_LE(*rule.validation.risk(), 0.05);
  // One more image, the next more uncertain in scope, and the error rate would be above.
  VerdictRule wider = rule;
  const double step = 1.0 / 400;
  VerdictRates rates;
  for (double u = rule.uncertainty + step; u < 1; u += step) {
    wider.uncertainty = u + step / 2;
    rates = verdict_rates(wider, images.view());
    EXPECT_GT(*rates.risk(), 0.049);
  }
  EXPECT_GT(rule.validation.accepted, 200u);
}

TEST(FitVerdict, ABoundedRiskReferMore) {
  const Images images(normal_scores(400, 1));
  VerdictOptions options;
  options.risk_target = 0.05;
  const VerdictRule plain = fit_verdict(images.view(), 0.325, options);
  options.risk_confidence = 0.9;
  const VerdictRule bounded = fit_verdict(images.view(), 0.325, options);
  EXPECT_LT(bounded.uncertainty, plain.uncertainty);
  EXPECT_LE(
      upper_bound_of_share(bounded.validation.errors, bounded.validation.accepted, 1 - 0.1 / 20),
      0.05);
}

TEST(FitVerdict, EqualUncertaintiesStandOrFallTogether) {
  Images images(normal_scores(100, 1));
  std::fill(images.uncertainty.begin(), images.uncertainty.end(), 0.5);
  VerdictOptions options;
  options.risk_target = 0.01;
  expect_error<DataError>([&] { fit_verdict(images.view(), 0.325, options); },
                          "no share of the validation images has an error rate of 0.01 or less");
}

TEST(FitVerdict, Misuse) {
  const Images few(normal_scores(18, 1));
  expect_error<ArgumentError>([&] { fit_verdict(few.view(), 0.3, {}); },
                              "takes at least 19 held-out ID images, not 18");
  VerdictOptions options;
  options.risk_confidence = 0.9;
  expect_error<ArgumentError>([&] { fit_verdict(few.view(), 0.3, options); },
                              "needs a risk target");
  options = {1.5};
  expect_error<ArgumentError>([&] { fit_verdict(few.view(), 0.3, options); },
                              "the share of ID images refused");
}

TEST(Binomial, KnownValues) {
  EXPECT_NEAR(binomial_cdf(2, 10, 0.3), 0.3827827864, 1e-9);
  EXPECT_NEAR(upper_bound_of_share(0, 59, 0.95), 1 - std::pow(0.05, 1.0 / 59), 1e-9);
  EXPECT_NEAR(lower_bound_of_share(10, 10, 0.975), std::pow(0.025, 0.1), 1e-9);
  EXPECT_EQ(upper_bound_of_share(5, 5, 0.95), 1);
}

TEST(VerdictRule, MissTargetsLowerTheThreshold) {
  // 100 images by rising U; class 1 has every fourth, wrong at places 40, 44, ...
  std::vector<double> rising;
  std::vector<double> scores(100, 1.0);
  std::vector<std::uint8_t> correct;
  std::vector<std::int64_t> labels;
  for (int i = 0; i < 100; ++i) {
    rising.push_back(i / 100.0);
    labels.push_back(i % 4 == 0 ? 1 : 0);
    correct.push_back(i % 4 != 0 || i < 40);
  }
  const HeldOutImages images{scores, rising, correct, labels};
  const auto threshold = [&](double share) {
    VerdictOptions options;
    options.miss_targets = {{1, share}};
    return fit_verdict(images, 0.9, options).uncertainty;
  };
  EXPECT_EQ(threshold(0.9), 0.9) << "eta holds it already";
  EXPECT_EQ(threshold(0.08), 0.47) << "2 of 25 may be missed: those at 0.40 and 0.44, not at 0.48";
  EXPECT_EQ(threshold(0), 0.39);
  VerdictOptions options;
  options.miss_targets = {{1, 0.08}};
  const VerdictRule rule = fit_verdict(images, 0.9, options);
  const std::vector<VerdictRates> rates = verdict_rates_by_class(rule, images, 3);
  EXPECT_EQ(rates[1].samples, 25u);
  EXPECT_EQ(rates[1].accepted, 12u);
  EXPECT_EQ(rates[1].errors, 2u);
  EXPECT_EQ(rates[0].errors, 0u);
  EXPECT_EQ(rates[2].samples, 0u);
  expect_error<DataError>([&] { verdict_rates_by_class(rule, images, 1); },
                          "label 1 is none of the 1 classes");
  options.miss_targets = {{2, 0.1}};
  expect_error<DataError>([&] { fit_verdict(images, 0.9, options); },
                          "no validation image of class 2");
  options.miss_targets = {{1, 0.1}, {1, 0.2}};
  expect_error<ArgumentError>([&] { fit_verdict(images, 0.9, options); }, "is given twice");
  options.miss_targets = {{1, 1.0}};
  expect_error<ArgumentError>([&] { fit_verdict(images, 0.9, options); }, "must lie in [0, 1)");
  correct.front() = 0;
  options.miss_targets = {{1, 0}};
  expect_error<DataError>([&] { fit_verdict(images, 0.9, options); },
                          "no threshold keeps its misses at 0");
}

/// 40 images of two classes; p of class 0 falls from 0.995 to 0.605 and the label is 0.
struct TwoClassImages {
  TwoClassImages() {
    std::vector<std::vector<double>> rows;
    for (int i = 0; i < 40; ++i) {
      rows.push_back({0.995 - 0.01 * i, 0.005 + 0.01 * i});
      scores.push_back(i);
    }
    predictive = predictive_rows(rows);
  }
  HeldOutImages view() const { return {scores, predictive.entropy, correct, labels, &predictive}; }

  std::vector<double> scores;
  std::vector<std::uint8_t> correct = std::vector<std::uint8_t>(40, 1);
  std::vector<std::int64_t> labels = std::vector<std::int64_t>(40, 0);
  Predictive predictive;
};

VerdictOptions by_sets(double level) {
  VerdictOptions options;
  options.sets.emplace();
  options.sets->alpha = alpha_of_level(level);
  return options;
}

// The threshold is the ceil(41 * 0.5) = 21st smallest of 1 - p_0 = 0.005, 0.015, ...: 0.205.
TEST(VerdictRule, SetsOfOneClassAreAccepted) {
  const TwoClassImages images;
  const VerdictRule rule = fit_verdict(images.view(), 0.325, by_sets(0.5));
  ASSERT_TRUE(rule.sets);
  EXPECT_NEAR(rule.sets->cells.at("")[0].threshold, 0.205, 1e-12);
  EXPECT_TRUE(std::isinf(rule.uncertainty));
  // Of the highest scores ceil(0.05 * 41) - 1 = 2 are out of scope: among those without a set.
  EXPECT_EQ(rule.validation.accepted, 21u);
  EXPECT_EQ(rule.validation.out_of_scope, 2u);
  EXPECT_EQ(rule.validation.referred, 17u);

  const auto judged = [&](const std::vector<double>& row) { return judge(rule, 3, 9, row.data()); };
  EXPECT_EQ(judged({0.8, 0.2}).decision, Decision::kAccept) << "whatever U says";
  EXPECT_EQ(judged({0.8, 0.2}).set, std::vector<std::size_t>{0});
  EXPECT_EQ(judged({0.79, 0.21}).decision, Decision::kRefer);
  EXPECT_TRUE(judged({0.79, 0.21}).set.empty());
  const std::vector<double> sure{1, 0};
  EXPECT_EQ(judge(rule, 99, 0, sure.data()).decision, Decision::kOutOfScope);
  expect_error<ArgumentError>([&] { judge(rule, 3, 0); }, "takes the probabilities");
}

TEST(VerdictRule, ASetOfAnotherClassThanTheAnswerIsReferred) {
  VerdictRule rule;
  rule.id_scores = {1, 2, 3};
  rule.options = by_sets(0.9);
  rule.sets = ConformalRule{*rule.options.sets, 2, {}};
  rule.sets->options.by_class = true;
  rule.sets->cells[""] = {{50, 0.1}, {50, 0.9}};  // class 0 only where p is 0.9 or more
  const std::vector<double> row{0.7, 0.3};
  const Verdict verdict = judge(rule, 0, 0, row.data());
  EXPECT_EQ(verdict.set, std::vector<std::size_t>{1});
  EXPECT_EQ(verdict.decision, Decision::kRefer);
}

TEST(VerdictRule, SetsThatCannotBeFitted) {
  const TwoClassImages images;
  VerdictOptions options = by_sets(0.9);
  options.risk_target = 0.1;
  expect_error<ArgumentError>([&] { fit_verdict(images.view(), 0.3, options); },
                              "takes no risk target, no miss target");
  expect_error<ArgumentError>([&] { fit_verdict(images.view(), 0.3, by_sets(0.99)); },
                              "takes at least 99 held-out ID images: no class could be left out");
  HeldOutImages blind = images.view();
  blind.predictive = nullptr;
  expect_error<ArgumentError>([&] { fit_verdict(blind, 0.3, by_sets(0.9)); },
                              "takes the predictions of held-out images");
  options = by_sets(0.9);
  options.sets->score.seed = 3;
  expect_error<ArgumentError>([&] { fit_verdict(images.view(), 0.3, options); }, "draw nothing");
}

/// 100 images by rising U in two classes in turn; those of class 1 wrong from 40 on, of class 0
/// from 80 on.
struct TwoClasses {
  TwoClasses() {
    for (int i = 0; i < 100; ++i) {
      uncertainty.push_back(i / 100.0);
      labels.push_back(i % 2);
      correct.push_back(i < (i % 2 == 1 ? 40 : 80));
    }
  }
  HeldOutImages view() const { return {scores, uncertainty, correct, labels}; }
  VerdictRule fit(const VerdictOptions& options, double eta = 2) const {
    return fit_verdict(view(), eta, options);
  }

  std::vector<double> scores = std::vector<double>(100, 1.0);
  std::vector<double> uncertainty;
  std::vector<std::uint8_t> correct;
  std::vector<std::int64_t> labels;
};

TEST(VerdictRule, SensitivityFloors) {
  TwoClasses images;
  VerdictOptions options;
  options.sensitivity_floors = {{1, 0.8}};
  // 20 of class 1 are right; with 5 wrong ones, those at 41 to 49, it is 20 of 25.
  EXPECT_EQ(images.fit(options).uncertainty, 0.50);
  EXPECT_EQ(images.fit(options, 0.3).uncertainty, 0.3) << "eta holds it already";
  options.sensitivity_floors = {{1, 0.8}, {0, 1}};
  EXPECT_EQ(images.fit(options).uncertainty, 0.50);
  options.sensitivity_floors = {{0, 1}};
  EXPECT_EQ(images.fit(options).uncertainty, 0.79);
  const VerdictRule rule = images.fit(options);
  ASSERT_EQ(rule.validation_by_class.size(), 2u);
  EXPECT_EQ(rule.validation_by_class[0].accepted, 40u);
  EXPECT_EQ(rule.validation_by_class[1].errors, 20u);

  options.risk_confidence = 0.9;
  expect_error<DataError>([&] { images.fit(options); }, "the highest lower bound is");
}

TEST(VerdictRule, AFloorThatHoldsAboveMayFailBelow) {
  // The first image of class 1 is wrong: its sensitivity rises with the threshold.
  TwoClasses images;
  images.correct[1] = 0;
  VerdictOptions options;
  options.sensitivity_floors = {{1, 0.8}};
  EXPECT_EQ(images.fit(options).uncertainty, 0.46) << "19 of 23";
  options.miss_targets = {{1, 0.02}};
  EXPECT_EQ(images.fit(options).uncertainty, 0.40) << "one of 50 may be missed, and 19 of 20 holds";
  options.miss_targets = {{1, 0}};
  expect_error<DataError>([&] { images.fit(options); }, "no threshold keeps all that is asked");
  options.miss_targets.clear();
  options.sensitivity_floors = {{1, 1}};
  expect_error<DataError>([&] { images.fit(options); }, "the highest is 0.95");
  options.sensitivity_floors = {{2, 0.5}};
  expect_error<DataError>([&] { images.fit(options); }, "no validation image of class 2");
  options.sensitivity_floors = {{1, 0}};
  expect_error<ArgumentError>([&] { images.fit(options); }, "must lie in (0, 1]");
  options.sensitivity_floors = {{1, 0.5}, {1, 0.5}};
  expect_error<ArgumentError>([&] { images.fit(options); }, "asked for twice");
}

TEST(VerdictRule, CostsSetTheThreshold) {
  TwoClasses images;
  const auto with = [&](double referral, std::vector<double> wrong) {
    VerdictOptions options;
    options.costs = VerdictCosts{referral, std::move(wrong)};
    return images.fit(options);
  };
  // From 40 on a pair of images costs 10 or saves two referrals.
  EXPECT_EQ(with(1, {10, 10}).uncertainty, 0.40);
  EXPECT_EQ(with(1, {10, 1.5}).uncertainty, 0.78) << "half a unit is saved by each pair to 78";
  EXPECT_EQ(with(1, {0, 0}).uncertainty, 0.99);
  const VerdictRule rule = with(1, {10, 10});
  EXPECT_NEAR(mean_cost(*rule.options.costs, rule.validation_by_class), 0.59, 1e-12);
  EXPECT_EQ(with(0, {1, 1}).uncertainty, 0.40) << "of equal costs the fewest referrals";
}

TEST(VerdictRule, CostsAndOtherTargets) {
  TwoClasses images;
  VerdictOptions options;
  options.costs = VerdictCosts{1, {10, 1.5}};
  options.miss_targets = {{1, 0.1}};
  EXPECT_EQ(images.fit(options).uncertainty, 0.50) << "5 of 50 may be missed";
  options.risk_target = 0.1;
  expect_error<ArgumentError>([&] { images.fit(options); }, "each set the threshold");
  options.risk_target.reset();
  options.costs->wrong[0] = -1;
  expect_error<ArgumentError>([&] { images.fit(options); }, "cost of a wrong answer must be");
  images.correct.assign(100, 0);
  options.costs = VerdictCosts{1, {10, 10}};
  options.miss_targets.clear();
  expect_error<DataError>([&] { images.fit(options); }, "cheapest to refer every");
}

TEST(VerdictRule, ImagesForASteadyShare) {
  // By scipy.stats.beta.ppf(0.975, k, n + 1 - k) <= 2 alpha, n = k / alpha - 1.
  EXPECT_EQ(held_out_for_steady_share(0.05), 119u);
  expect_error<ArgumentError>([] { held_out_for_steady_share(0); }, "the share of ID images");
}

}  // namespace
}  // namespace cubcal::test
