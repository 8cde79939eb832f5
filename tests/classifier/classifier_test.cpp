#include "cubcal/classifier.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include "cli/program.h"
#include "cubcal/calibration/fit.h"
#include "cubcal/image/png_encoder.h"
#include "cubcal/io/atomic_file.h"
#include "cubcal_nn/infer/image_input.h"
#include "cubcal_nn/infer/mc_engine.h"
#include "cubcal_nn/kernels/compute_backend.h"
#include "cubcal_nn/ood/registry.h"
#include "cubcal_nn/ood/verdict_folder.h"
#include "expect_error.h"
#include "infer/tiny_model.h"

namespace cubcal::test {
namespace {

class ClassifierTest : public testing::Test {
 protected:
  void SetUp() override { save_model(folder_, description_, *network_); }

  static Image image_of(const at::Tensor& images, std::int64_t index) {
    const at::Tensor pixels = images[index].contiguous();
    const auto* first = pixels.data_ptr<std::uint8_t>();
    return {16, 16, 1, {first, first + pixels.numel()}, {}};
  }

  static PixelView view_of(const Image& image) {
    return {image.pixels.data(), image.height, image.width, image.channels, 8};
  }

  /// Gives the model a verdict whose features are of this source; with a threshold, sets of classes
  /// whose 1 - p is at most that decide.
  void attach_a_verdict(FeatureSource source, std::optional<double> set_threshold = {}) {
    McEngine engine(*network_, description_.preprocessing);
    McOptions mc;
    mc.passes = 6;
    const at::Tensor known = random_images(90, 1, 16, 11);
    VerdictModel verdict;
    verdict.detector = make_detector("cosine+pca");
    fit_detector(*verdict.detector, network_features(engine, known, mc, source),
                 at::arange(90, at::kLong).remainder(3));
    const at::Tensor held_out = random_images(60, 1, 16, 12);
    const std::vector<double> scores =
        score_all(*verdict.detector, network_features(engine, held_out, mc, source));
    const std::vector<double> uncertainty(60, 0.5);
    const std::vector<std::uint8_t> correct(60, 1);
    verdict.policy = fit_verdict({scores, uncertainty, correct}, 1.05, {});
    verdict.policy.detector = "cosine+pca";
    verdict.policy.features = source;
    verdict.policy.passes = 6;
    if (set_threshold) {
      verdict.policy.options.sets.emplace();
      verdict.policy.sets = ConformalRule{*verdict.policy.options.sets, 3, {}};
      verdict.policy.sets->cells[""] = {{60, *set_threshold}};
    }
    attach_verdict(folder_, verdict, read_weights_hash(folder_));
  }

  ScratchFolder scratch_;
  std::string folder_ = scratch_.file("model");
  ModelDescription description_ = tiny_description(LayerKind::kVariational);
  std::unique_ptr<Network> network_ = tiny_network(LayerKind::kVariational);
  at::Tensor images_ = random_images(5);
};

TEST_F(ClassifierTest, FactsNameTheTrainingSetWithoutItsPath) {
  description_.provenance.data = "/home/someone/sets/ham10000";
  save_model(folder_, description_, *network_);
  EXPECT_EQ(Classifier(folder_).facts().data, "ham10000");
}

TEST_F(ClassifierTest, TheConvolutionPathIsTheOneAskedForAndIsTold) {
  ClassifierOptions options;
  for (const std::string path : {"panels", "im2col"}) {
    options.convolution = path;
    EXPECT_EQ(Classifier(folder_, options).facts().compute, "cpu, " + path);
  }
  options.convolution = "fastest";
  expect_error<ArgumentError>([&] { Classifier(folder_, options); },
                              "the convolution path must be onednn, im2col or panels");
}

TEST_F(ClassifierTest, AnAnswerIsThePredictionByHand) {
  FitOptions fit;
  fit.method = CalibrationMethod::kTsNll;
  Calibration calibration;
  calibration.method = CalibrationMethod::kTsNll;
  calibration.classes = 3;
  calibration.thresholds = thresholds_from_eta(0.325, 3);
  calibration.t_high = calibration.t_low = 1.7;
  calibration.box_high = calibration.box_low = {0.25, 4};
  attach_calibration(folder_, calibration);

  ClassifierOptions options;
  options.passes = 7;
  options.seed = 9;
  Classifier classifier(folder_, options);
  const Image image = image_of(images_, 2);
  const Answer answer = classifier.predict(view_of(image));

  McEngine engine(*network_, description_.preprocessing);
  McOptions mc;
  mc.passes = 7;
  mc.seed = 9;
  const McOutput run = engine.run(image_input(image, description_.preprocessing), mc);
  const McLogits logits(run.logits);
  const Predictive expected = apply_calibration(calibration, logits, predict(logits));
  ASSERT_EQ(answer.probabilities.size(), 3U);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(answer.probabilities[k], expected.probabilities[k], 1e-6);
  }
  EXPECT_EQ(answer.label, description_.class_names[answer.label_index]);
  EXPECT_NEAR(answer.total, expected.entropy[0], 1e-6);
  EXPECT_NEAR(answer.epistemic, expected.epistemic(0), 1e-6);
  EXPECT_EQ(answer.passes, 7U);
  EXPECT_FALSE(answer.ood_p_value);
  EXPECT_EQ(classifier.facts().calibration, "ts-nll");
  EXPECT_EQ(classifier.facts().refer_above, classifier.facts().eta);
  EXPECT_NE(answer.reason.find("uncertainty "), std::string::npos) << answer.reason;
}

TEST_F(ClassifierTest, AnswersDoNotDependOnEachOther) {
  Classifier classifier(folder_);
  std::vector<Image> images;
  std::vector<PixelView> views;
  for (std::int64_t i = 0; i < 5; ++i) images.push_back(image_of(images_, i));
  for (const Image& image : images) views.push_back(view_of(image));
  const std::vector<Answer> together = classifier.predict(views);
  ASSERT_EQ(together.size(), 5U);
  for (std::size_t i = 0; i < 5; ++i) {
    const Answer alone = classifier.predict(views[i]);
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_NEAR(alone.probabilities[k], together[i].probabilities[k], 1e-6);
    }
  }
  EXPECT_TRUE(classifier.predict(std::vector<PixelView>{}).empty());
}

TEST_F(ClassifierTest, FilesThatCannotBeReadAreNamedInTheirPlace) {
  write_file_atomically(scratch_.file("a.png"), encode_png(image_of(images_, 0)));
  write_file_atomically(scratch_.file("b.png"), "no image");
  write_file_atomically(scratch_.file("c.png"), encode_png(image_of(images_, 1)));
  Classifier classifier(folder_);
  const std::vector<FileAnswer> files = classifier.predict_files(
      {scratch_.file("a.png"), scratch_.file("b.png"), scratch_.file("c.png")});
  ASSERT_EQ(files.size(), 3U);
  EXPECT_TRUE(files[0].answer);
  EXPECT_FALSE(files[1].answer);
  EXPECT_NE(files[1].problem.find("b.png"), std::string::npos) << files[1].problem;
  ASSERT_TRUE(files[2].answer);
  EXPECT_NEAR(files[2].answer->confidence, classifier.predict(scratch_.file("c.png")).confidence,
              1e-6);
  expect_error<DataError>([&] { classifier.predict(scratch_.file("b.png")); }, "b.png");
}

TEST_F(ClassifierTest, TheVerdictDecidesAndSaysWhy) {
  for (const FeatureSource source : {FeatureSource::kMeanWeights, FeatureSource::kPasses}) {
    attach_a_verdict(source);
    Classifier classifier(folder_);
    EXPECT_EQ(classifier.facts().passes, 6U) << "those of the verdict";
    EXPECT_EQ(*classifier.facts().detector, "cosine+pca");
    const std::optional<VerdictModel> verdict = load_verdict(load_model(folder_));
    const Image image = image_of(images_, 1);
    const Answer answer = classifier.predict(view_of(image));
    McEngine engine(*network_, description_.preprocessing);
    McOptions mc;
    mc.passes = 6;
    const std::vector<double> scores =
        verdict_scores(*verdict, engine, image_input(image, description_.preprocessing), mc);
    ASSERT_TRUE(answer.ood_p_value);
    EXPECT_EQ(*answer.ood_p_value, judge(verdict->policy, scores[0], answer.total).p_value);
  }
}

TEST_F(ClassifierTest, SetsDecideAndSayWhatTheyHold) {
  const Image image = image_of(images_, 1);
  const auto answered = [&](double threshold) {
    attach_a_verdict(FeatureSource::kMeanWeights, threshold);
    return Classifier(folder_).predict(view_of(image));
  };
  const Answer all = answered(1);
  ASSERT_NE(all.decision, Decision::kOutOfScope) << all.reason;
  EXPECT_EQ(all.decision, Decision::kRefer);
  EXPECT_EQ(all.prediction_set->size(), 3U);
  EXPECT_NE(all.reason.find("the set at 90% holds 3 classes: "), std::string::npos) << all.reason;
  const Answer none = answered(0);
  EXPECT_EQ(none.decision, Decision::kRefer);
  EXPECT_EQ(none.reason, "the set at 90% holds no class");
  const Answer alone = answered(1 - all.confidence + 1e-6);
  EXPECT_EQ(alone.decision, Decision::kAccept) << alone.reason;
  EXPECT_EQ(alone.reason.find("the set at 90% holds " + alone.label + " alone, and p "), 0U)
      << alone.reason;

  Classifier classifier(folder_);
  EXPECT_EQ(*classifier.facts().set_level, 0.9);
  ClassifierOptions options;
  options.adaptive_stop = AdaptiveStop{};
  expect_error<ArgumentError>([&] { Classifier(folder_, options); }, "decides by prediction sets");
}

TEST_F(ClassifierTest, WhatIsUnlikeTheKnownImagesIsOutOfScope) {
  attach_a_verdict(FeatureSource::kMeanWeights);
  Classifier classifier(folder_);
  const Image black{16, 16, 1, std::vector<std::uint8_t>(256, 0), {}};
  const Answer answer = classifier.predict(view_of(black));
  EXPECT_EQ(answer.decision, Decision::kOutOfScope);
  EXPECT_NE(answer.reason.find("unlike the images the model knows: p "), std::string::npos)
      << answer.reason;
}

TEST_F(ClassifierTest, AdaptiveStopTakesFewerPasses) {
  ClassifierOptions options;
  options.adaptive_stop = AdaptiveStop{};
  options.adaptive_stop->error = 0.2;
  Classifier classifier(folder_, options);
  EXPECT_LT(classifier.predict(view_of(image_of(images_, 0))).passes, 80U);
  attach_a_verdict(FeatureSource::kPasses);
  expect_error<ArgumentError>([&] { Classifier(folder_, options); },
                              "stopping early cannot save passes with this model");
}

TEST_F(ClassifierTest, ThreadsAndTheConvolutionPathAreGivenBack) {
  const int before = at::get_num_threads();
  set_convolution_backend(ConvolutionBackend::kIm2col);
  ClassifierOptions options;
  options.threads = static_cast<std::size_t>(before) + 1;
  options.passes = 2;
  int during = 0;
  options.progress = [&](std::size_t, std::size_t) { during = at::get_num_threads(); };
  Classifier classifier(folder_, options);
  classifier.predict(view_of(image_of(images_, 0)));
  EXPECT_EQ(during, before + 1);
  EXPECT_EQ(at::get_num_threads(), before);
  EXPECT_EQ(convolution_backend(), ConvolutionBackend::kIm2col);
  set_convolution_backend(ConvolutionBackend::kPanels);
  const Classifier other(folder_, options);
  EXPECT_EQ(convolution_backend(), ConvolutionBackend::kPanels);
}

TEST_F(ClassifierTest, ItMovesAndCanBeInterrupted) {
  ClassifierOptions options;
  bool stop = false;
  options.interrupted = [&] { return stop; };
  Classifier first(folder_, options);
  Classifier moved = std::move(first);
  EXPECT_EQ(moved.facts().class_names, description_.class_names);
  stop = true;
  EXPECT_THROW(moved.predict(view_of(image_of(images_, 0))), Interrupted);
}

TEST_F(ClassifierTest, ErrorsAreOneSentence) {
  ClassifierOptions options;
  options.device = "tpu";
  expect_error<ArgumentError>([&] { Classifier(folder_, options); },
                              "'cpu', 'cuda' or 'cuda:N', not 'tpu'");
  options = {};
  options.passes = 0;
  expect_error<ArgumentError>([&] { Classifier(folder_, options); }, "the number of passes");
  expect_error<IoError>([&] { Classifier(scratch_.file("nowhere")); }, "nowhere");
  Classifier classifier(folder_);
  const std::vector<std::uint8_t> pixels(256 * 2);
  expect_error<DataError>(
      [&] {
        classifier.predict(PixelView{pixels.data(), 16, 16, 2, 8});
      },
      "1 or 3 channels of 8 or 16 bits, not 2 of 8");
  expect_error<DataError>([&] { classifier.predict(PixelView{}); }, "needs pixels");
}

}  // namespace
}  // namespace cubcal::test
