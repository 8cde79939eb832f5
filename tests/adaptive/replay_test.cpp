#include "cubcal/adaptive/replay.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "cubcal/core/error.h"
#include "cubcal/io/logits_file.h"
#include "cubcal/metrics/binomial.h"
#include "expect_error.h"
#include "random_logits.h"

namespace cubcal::test {
namespace {

Calibration dual(std::size_t classes) {
  Calibration calibration;
  calibration.method = CalibrationMethod::kDts;
  calibration.classes = classes;
  calibration.thresholds = thresholds_from_eta(kDefaultEta, classes);
  calibration.t_high = 0.6;
  calibration.t_low = 1.5;
  return calibration;
}

LogitSet simulated(std::size_t classes, double pass_noise, std::size_t samples,
                   std::uint64_t seed) {
  LogitShape shape;
  shape.passes = 80;
  shape.samples = samples;
  shape.classes = classes;
  shape.pass_noise = pass_noise;
  return random_logits(shape, seed);
}

/// Every tenth pass or so votes for another class, loudly: the hardest case for a variance.
LogitSet with_rare_flips(std::uint64_t seed) {
  LogitSet set = simulated(3, 0.3, 300, seed);
  SeedStream stream(seed, 1);
  for (std::size_t s = 0; s < set.passes; ++s) {
    for (std::size_t i = 0; i < set.samples; ++i) {
      if (stream.uniform() < 0.1) set.at(s, i, stream.below(3)) += 12;
    }
  }
  return set;
}

TEST(Replay, DoesWhatTheRuleDoes) {
  const LogitSet set = simulated(3, 0.7, 40, 3);
  const AdaptiveOptions options;
  const AdaptiveReplay replay = replay_adaptive(set.view(), options);
  const Predictive all = predict(set.view());
  for (std::size_t i = 0; i < set.samples; ++i) {
    SequentialDecision sequence(3, 80, options, {});
    std::size_t s = 0;
    do {
      for (const std::size_t look = next_look(s, 80, options); s < look; ++s) {
        sequence.add_pass(std::vector<double>{set.at(s, i, 0), set.at(s, i, 1), set.at(s, i, 2)});
      }
    } while (!sequence.settled());
    EXPECT_EQ(replay.passes[i], s);
    EXPECT_EQ(replay.risk[i], sequence.risk());
    EXPECT_EQ(replay.decision[i], sequence.decision());
    EXPECT_EQ(replay.full[i].predicted, all.predicted[i]);
    EXPECT_EQ(replay.full[i].refer, all.entropy[i] > 0.325);
    EXPECT_EQ(replay.full[i].confident, all.confidence[i] > 0.9);
  }
}

TEST(Replay, NoErrorMeansNoChange) {
  AdaptiveOptions exact;
  exact.error = 0;
  exact.block = 1;
  std::size_t saved = 0;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const std::size_t classes = 2 + seed % 6;
    const LogitSet set =
        seed % 3 == 0 ? with_rare_flips(seed)
                      : simulated(classes, 0.2 + 0.3 * static_cast<double>(seed % 4), 150, seed);
    std::optional<Calibration> calibration;
    if (seed % 2 == 1) calibration = dual(set.classes);
    const AdaptiveReplay replay = replay_adaptive(set.view(), exact, {}, calibration);
    const AdaptiveChanges result = changes(replay);
    EXPECT_EQ(result.any, 0U) << "seed " << seed;
    saved += result.samples - result.all_passes;
  }
  EXPECT_GT(saved, 500U) << "the exact bound must stop somebody";
}

/// Pooled over sets that differ in classes and noise. The promise is refuted where even the lower
/// bound of the share that changed, at 99.9%, lies above it.
void expect_promise(double error, bool calibrated, double most_passes) {
  AdaptiveOptions options;
  options.error = error;
  std::size_t samples = 0;
  std::size_t changed = 0;
  double passes = 0;
  for (const std::size_t classes : {2, 3, 5, 7}) {
    for (const double noise : {0.3, 0.7, 1.2}) {
      const LogitSet set = simulated(classes, noise, 500, 17 * classes);
      std::optional<Calibration> calibration;
      if (calibrated) calibration = dual(classes);
      const AdaptiveChanges result = changes(replay_adaptive(set.view(), options, {}, calibration));
      samples += result.samples;
      changed += result.any;
      passes += result.mean_passes * static_cast<double>(result.samples);
    }
  }
  EXPECT_LE(lower_bound_of_share(changed, samples, 0.999), error)
      << changed << " of " << samples << " changed";
  EXPECT_LE(passes / static_cast<double>(samples), most_passes);
}

TEST(Replay, ThePromiseHoldsOnManySets) {
  expect_promise(0.001, false, 35);
  expect_promise(0.005, false, 30);
  expect_promise(0.02, false, 26);
  expect_promise(0.1, false, 22);
}

TEST(Replay, ThePromiseHoldsWithTwoTemperatures) { expect_promise(0.005, true, 30); }

TEST(Replay, MoreErrorTakesFewerPasses) {
  const LogitSet set = simulated(3, 0.7, 300, 8);
  double before = 81;
  for (const double error : {0.0, 0.001, 0.01, 0.1}) {
    AdaptiveOptions options;
    options.error = error;
    const double mean = changes(replay_adaptive(set.view(), options)).mean_passes;
    EXPECT_LT(mean, before);
    before = mean;
  }
}

TEST(Replay, FewerSidesTakeFewerPasses) {
  const LogitSet set = simulated(4, 0.7, 300, 9);
  DecisionOptions without;
  without.gamma.reset();
  const AdaptiveChanges two = changes(replay_adaptive(set.view(), {}, without));
  EXPECT_LT(two.mean_passes, changes(replay_adaptive(set.view())).mean_passes);
  EXPECT_EQ(two.confident, 0U);
  EXPECT_EQ(two.any, two.verdict);
}

TEST(Replay, SamplesDoNotDependOnEachOtherNorOnThreads) {
  const LogitSet set = simulated(3, 0.9, 100, 4);
  LogitSet reversed = set;
  for (std::size_t s = 0; s < set.passes; ++s) {
    for (std::size_t i = 0; i < set.samples; ++i) {
      for (std::size_t k = 0; k < 3; ++k) reversed.at(s, i, k) = set.at(s, set.samples - 1 - i, k);
    }
  }
  const Threads one(1);
  const AdaptiveReplay forward = replay_adaptive(set.view());
  const Threads five(5);
  const AdaptiveReplay backward = replay_adaptive(reversed.view());
  for (std::size_t i = 0; i < set.samples; ++i) {
    const std::size_t j = set.samples - 1 - i;
    EXPECT_EQ(forward.passes[i], backward.passes[j]);
    EXPECT_EQ(forward.risk[i], backward.risk[j]);
    EXPECT_EQ(forward.decision[i], backward.decision[j]);
  }
}

// Softmax outputs of the same passes, beside logits of them.
TEST(Replay, ProbabilitiesAreTakenAsTheyAre) {
  const LogitSet set = simulated(3, 0.9, 100, 4);
  LogitSet given = set;
  for (std::size_t s = 0; s < set.passes; ++s) {
    for (std::size_t i = 0; i < set.samples; ++i) {
      double sum = 0;
      for (std::size_t k = 0; k < 3; ++k) sum += std::exp(set.at(s, i, k));
      for (std::size_t k = 0; k < 3; ++k) given.at(s, i, k) = std::exp(set.at(s, i, k)) / sum;
    }
  }
  const AdaptiveReplay expected = replay_adaptive(set.view());
  const AdaptiveReplay replay =
      replay_adaptive(given.view(), {}, {}, {}, NumberKind::kProbabilities);
  EXPECT_EQ(replay.passes, expected.passes);
  for (std::size_t i = 0; i < set.samples; ++i) {
    EXPECT_NEAR(replay.risk[i], expected.risk[i], 1e-12);
    EXPECT_EQ(replay.decision[i], expected.decision[i]);
    EXPECT_EQ(replay.full[i], expected.full[i]);
  }
  expect_error<ArgumentError>(
      [&] { replay_adaptive(given.view(), {}, {}, dual(3), NumberKind::kProbabilities); },
      "scales logits, not probabilities");
}

TEST(Replay, FewPassesAreAllTaken) {
  for (const std::size_t total : {1, 2, 7}) {
    LogitShape shape;
    shape.passes = total;
    shape.samples = 50;
    const LogitSet set = random_logits(shape, 2);
    const AdaptiveReplay replay = replay_adaptive(set.view());
    EXPECT_EQ(replay.passes, std::vector<std::size_t>(50, total));
    EXPECT_EQ(changes(replay).any, 0U);
    EXPECT_EQ(changes(replay).all_passes, 50U);
    EXPECT_EQ(changes(replay).mean_risk, 0);
  }
}

TEST(Replay, CountsWhatChanged) {
  AdaptiveReplay replay;
  replay.total = 10;
  replay.passes = {4, 10, 6, 4};
  replay.risk = {0.01, 0, 0.03, 0};
  replay.full = {{0, false, true}, {1, true, false}, {2, true, false}, {0, false, true}};
  replay.decision = {{0, false, false}, {1, true, false}, {1, false, false}, {0, true, true}};
  const AdaptiveChanges result = changes(replay);
  EXPECT_EQ(result.samples, 4U);
  EXPECT_EQ(result.predicted, 1U);
  EXPECT_EQ(result.refer, 2U);
  EXPECT_EQ(result.confident, 1U);
  EXPECT_EQ(result.verdict, 2U);
  EXPECT_EQ(result.any, 3U);
  EXPECT_EQ(result.all_passes, 1U);
  EXPECT_DOUBLE_EQ(result.mean_passes, 6);
  EXPECT_DOUBLE_EQ(result.mean_risk, 0.01);
}

TEST(Replay, RefusesBadLogitsAndCalibrations) {
  LogitSet set = simulated(3, 0.7, 5, 1);
  expect_error<DataError>([&] { replay_adaptive(set.view(), {}, {}, dual(4)); },
                          "fitted for 4 classes");
  set.at(2, 1, 0) = NAN;
  expect_error<DataError>([&] { replay_adaptive(set.view()); },
                          "[pass 2, sample 1, class 0] is NaN");
  AdaptiveOptions options;
  options.error = 2;
  expect_error<ArgumentError>([&] { replay_adaptive(set.view(), options); }, "error of adaptive");
}

TEST(Replay, KeepsItsPromiseOnRetina) {
  const std::string path = std::string(CUBCAL_SHARED_DIR) + "/reference/retina_bnn_test.npz";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no " << path;
  const LogitsFile file = read_logits_file(path);
  const AdaptiveChanges result = changes(replay_adaptive(McLogits(file.logits)));
  EXPECT_LE(result.mean_passes, 25);
  EXPECT_LE(lower_bound_of_share(result.any, result.samples, 0.975), 0.005);
}

}  // namespace
}  // namespace cubcal::test
