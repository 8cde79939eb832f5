// Detectors on the features of a real network: perturbation, and verdicts in a model folder.

#include <gtest/gtest.h>

#include <filesystem>

#include "cli/program.h"
#include "cubcal/core/error.h"
#include "cubcal/io/atomic_file.h"
#include "cubcal_nn/ood/perturbation.h"
#include "cubcal_nn/ood/registry.h"
#include "cubcal_nn/ood/verdict_folder.h"
#include "expect_error.h"
#include "infer/tiny_model.h"
#include "ood/random_features.h"

namespace cubcal::test {
namespace {

class OodNetwork : public testing::Test {
 protected:
  /// Smooth images, which random ones are unlike.
  static at::Tensor smooth_images(std::int64_t count) {
    const at::Tensor coarse = random_images(count, 1, 4, 8).to(at::kFloat);
    return coarse.repeat_interleave(4, 2).repeat_interleave(4, 3).to(at::kByte);
  }

  std::unique_ptr<Detector> fitted(const std::string& name, FeatureSource source) {
    std::unique_ptr<Detector> detector = make_detector(name);
    fit_detector(*detector, network_features(engine_, train_, {}, source), labels_);
    return detector;
  }

  /// For images that all have this score and uncertainty.
  VerdictModel constant_verdict(double value) {
    VerdictModel verdict;
    verdict.detector = fitted("cosine+pca", FeatureSource::kMeanWeights);
    const std::vector<double> values(40, value);
    const std::vector<std::uint8_t> correct(40, 1);
    verdict.policy = fit_verdict({values, values, correct}, 0.325, {});
    verdict.policy.detector = "cosine+pca";
    return verdict;
  }

  ModelDescription description_ = tiny_description(LayerKind::kVariational);
  std::unique_ptr<Network> network_ = tiny_network(LayerKind::kVariational);
  McEngine engine_{*network_, description_.preprocessing};
  at::Tensor train_ = smooth_images(240);
  at::Tensor labels_ = at::arange(240, at::kLong).remainder(3);
};

TEST_F(OodNetwork, FeaturesOfPassesAndOfMeanWeights) {
  const DetectorInput mean =
      network_features(engine_, train_.narrow(0, 0, 4), {}, FeatureSource::kMeanWeights);
  McOptions options;
  options.passes = 3;
  const DetectorInput passes =
      network_features(engine_, train_.narrow(0, 0, 4), options, FeatureSource::kPasses);
  ASSERT_EQ(mean.taps.size(), network_->feature_names().size());
  EXPECT_EQ(mean.logits.sizes(), at::IntArrayRef({4, 3}));
  EXPECT_FALSE(at::allclose(mean.taps.back(), passes.taps.back()));
  expect_error<ArgumentError>([] { feature_source_from_name("median"); },
                              "the source of features must be mean or mc, not 'median'");
}

TEST_F(OodNetwork, PerturbationStepsAgainstTheGradient) {
  const auto base = fitted("relative-mahalanobis-multi", FeatureSource::kMeanWeights);
  const Perturbation perturbation(*network_, description_.preprocessing, *base, 16);
  const at::Tensor images = random_images(20);
  const std::vector<double> still = perturbation.score(images, 0);
  const std::vector<double> plain =
      score_all(*base, network_features(engine_, images, {}, FeatureSource::kMeanWeights));
  const std::vector<double> stepped = perturbation.score(images, 1e-4);
  for (std::size_t i = 0; i < plain.size(); ++i) {
    EXPECT_NEAR(still[i], plain[i], 1e-4 * std::fabs(plain[i]) + 1e-4);
    EXPECT_LT(stepped[i], still[i]);
  }
}

TEST_F(OodNetwork, EpsilonIsTheOneOfTheLowestMeanScore) {
  const auto base = fitted("relative-mahalanobis", FeatureSource::kMeanWeights);
  const Perturbation perturbation(*network_, description_.preprocessing, *base, 16);
  const at::Tensor images = train_.narrow(0, 0, 30);
  const std::vector<double> epsilons{0, 1e-4, 0.5};
  const double chosen = perturbation.choose_epsilon(images, epsilons);
  double lowest = 0;
  double best = -1;
  for (const double epsilon : epsilons) {
    double sum = 0;
    for (const double score : perturbation.score(images, epsilon)) sum += score;
    if (best < 0 || sum < lowest) {
      lowest = sum;
      best = epsilon;
    }
  }
  EXPECT_EQ(chosen, best);
  EXPECT_NE(chosen, 0);
}

TEST_F(OodNetwork, PerturbationLeavesNoGradientInTheNetwork) {
  const auto base = fitted("relative-mahalanobis", FeatureSource::kMeanWeights);
  Perturbation(*network_, description_.preprocessing, *base).score(train_.narrow(0, 0, 2), 0.01);
  for (const auto& [name, tensor] : network_->parameters().named_tensors()) {
    EXPECT_FALSE(tensor.grad().defined()) << name;
  }
}

TEST_F(OodNetwork, AVerdictLivesInTheModelFolder) {
  const ScratchFolder scratch;
  const std::string folder = scratch.file("model");
  save_model(folder, description_, *network_);
  EXPECT_FALSE(load_verdict(load_model(folder)));

  VerdictModel verdict;
  verdict.detector = fitted("mahalanobis", FeatureSource::kMeanWeights);
  const std::vector<double> scores = score_all(
      *verdict.detector, network_features(engine_, train_, {}, FeatureSource::kMeanWeights));
  const std::vector<double> uncertainty(scores.size(), 0.1);
  const std::vector<std::uint8_t> correct(scores.size(), 1);
  verdict.policy = fit_verdict({scores, uncertainty, correct}, 0.325, {});
  verdict.policy.detector = "mahalanobis";
  attach_verdict(folder, verdict, read_weights_hash(folder));

  const std::optional<VerdictModel> loaded = load_verdict(load_model(folder));
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->policy.id_scores, verdict.policy.id_scores);
  EXPECT_EQ(verdict_to_json(loaded->policy), verdict_to_json(verdict.policy));
  const at::Tensor images = random_images(5);
  EXPECT_EQ(verdict_scores(*loaded, engine_, images, {}),
            verdict_scores(verdict, engine_, images, {}));
  const double beyond = verdict.policy.id_scores.back() + 1;
  EXPECT_EQ(judge(loaded->policy, beyond, 0.1).decision, Decision::kOutOfScope);
  EXPECT_EQ(load_model(folder).description.class_names, description_.class_names);

  Calibration calibration;
  calibration.method = CalibrationMethod::kTsNll;
  calibration.classes = 3;
  calibration.t_high = calibration.t_low = 1.5;
  calibration.box_high = calibration.box_low = {1, 2};
  calibration.thresholds = thresholds_from_eta(0.325, 3);
  attach_calibration(folder, calibration);
  expect_error<DataError>([&] { load_verdict(load_model(folder)); },
                          "has another calibration than its verdict was fitted with");
}

TEST_F(OodNetwork, AFitThatWasKilledBetweenItsStepsLeavesAVerdict) {
  const ScratchFolder scratch;
  const std::string folder = scratch.file("model");
  save_model(folder, description_, *network_);
  const auto scores = [&] { return load_verdict(load_model(folder))->policy.id_scores.front(); };
  const std::string description = folder + "/model.json";
  const std::string file = folder + "/ood.safetensors";
  attach_verdict(folder, constant_verdict(1), read_weights_hash(folder));
  const std::string description_1 = contents_of(description);
  const std::string file_1 = contents_of(file);
  attach_verdict(folder, constant_verdict(2), read_weights_hash(folder));
  const std::string file_2 = contents_of(file);

  // After the new description, before the detector had its name.
  write_file_atomically(file, file_1);
  write_file_atomically(folder + "/ood.next.safetensors", file_2);
  EXPECT_EQ(scores(), 2);
  // Before the new description.
  write_file_atomically(description, description_1);
  EXPECT_EQ(scores(), 1);
  attach_verdict(folder, constant_verdict(3), read_weights_hash(folder));
  EXPECT_EQ(scores(), 3);
  EXPECT_FALSE(std::filesystem::exists(folder + "/ood.next.safetensors"));
}

TEST_F(OodNetwork, ALinkInPlaceOfTheDetectorIsNotWrittenThrough) {
  const ScratchFolder scratch;
  const std::string folder = scratch.file("model");
  save_model(folder, description_, *network_);
  write_file_atomically(scratch.file("other"), "kept");
  std::filesystem::create_symlink(scratch.file("other"), folder + "/ood.safetensors");
  attach_verdict(folder, constant_verdict(1), read_weights_hash(folder));
  EXPECT_EQ(contents_of(scratch.file("other")), "kept");
  EXPECT_TRUE(load_verdict(load_model(folder)));
}

TEST_F(OodNetwork, AVerdictWithAnotherDetectorFileIsRefused) {
  const ScratchFolder scratch;
  const std::string folder = scratch.file("model");
  save_model(folder, description_, *network_);
  VerdictModel verdict = constant_verdict(1);
  verdict.policy.detector = "knn";
  expect_error<ArgumentError>([&] { attach_verdict(folder, verdict, read_weights_hash(folder)); },
                              "is for the detector 'knn'");
  verdict.policy.detector = "cosine+pca";
  attach_verdict(folder, verdict, read_weights_hash(folder));
  std::filesystem::copy_file(folder + "/weights.safetensors", folder + "/ood.safetensors",
                             std::filesystem::copy_options::overwrite_existing);
  expect_error<DataError>([&] { load_verdict(load_model(folder)); },
                          "is not the file that the model's verdict was written with");
}

}  // namespace
}  // namespace cubcal::test
