// What holds for all detectors, and the invariances of each.

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "cli/program.h"
#include "cubcal/core/error.h"
#include "cubcal/weights/safetensors.h"
#include "cubcal_nn/ood/detector_file.h"
#include "cubcal_nn/ood/moments.h"
#include "cubcal_nn/ood/registry.h"
#include "expect_error.h"
#include "ood/random_features.h"

namespace cubcal::test {
namespace {

std::unique_ptr<Detector> fitted(const std::string& name, const TrainingFeatures& set,
                                 const DetectorOptions& options = {}, std::int64_t rows = 4096) {
  std::unique_ptr<Detector> detector = make_detector(name, options);
  fit_detector(*detector, set.input, set.labels, rows);
  return detector;
}

void expect_close(const std::vector<double>& a, const std::vector<double>& b, double relative) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_NEAR(a[i], b[i], relative * (std::fabs(b[i]) + 1e-3)) << "sample " << i;
  }
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

class EveryDetector : public testing::TestWithParam<std::string> {};

TEST_P(EveryDetector, ScoresOutliersHigher) {
  const auto detector = fitted(GetParam(), training_features());
  const std::vector<double> near = score_all(*detector, near_features());
  const std::vector<double> far = score_all(*detector, far_features());
  EXPECT_GT(mean(far), mean(near));
  EXPECT_EQ(near.size(), 40u);
}

TEST_P(EveryDetector, BatchesOfTheFitChangeOnlyRounding) {
  const TrainingFeatures set = training_features();
  const std::vector<double> whole = score_all(*fitted(GetParam(), set), near_features());
  for (const std::int64_t rows : {1, 7, 299}) {
    expect_close(score_all(*fitted(GetParam(), set, {}, rows), near_features()), whole, 1e-8);
  }
}

TEST_P(EveryDetector, BatchesOfTheScoresChangeOnlyRounding) {
  const auto detector = fitted(GetParam(), training_features());
  expect_close(score_all(*detector, near_features(), 3), score_all(*detector, near_features()),
               1e-9);
}

TEST_P(EveryDetector, EverySampleTwiceChangesNothing) {
  const TrainingFeatures set = training_features();
  TrainingFeatures twice = set;
  for (at::Tensor& tap : twice.input.taps) tap = at::cat({tap, tap});
  twice.input.logits = at::cat({set.input.logits, set.input.logits});
  twice.input.appearance = at::cat({set.input.appearance, set.input.appearance});
  twice.labels = at::cat({set.labels, set.labels});
  DetectorOptions options;
  DetectorOptions options_twice;
  options_twice.neighbours = 2 * options.neighbours;
  expect_close(score_all(*fitted(GetParam(), twice, options_twice), near_features()),
               score_all(*fitted(GetParam(), set, options), near_features()), 1e-7);
}

TEST_P(EveryDetector, AClassWithOneSample) {
  TrainingFeatures set = training_features();
  set.labels[17] = 3;
  const auto detector = fitted(GetParam(), set);
  for (const double score : score_all(*detector, near_features())) {
    EXPECT_TRUE(std::isfinite(score));
  }
}

TEST_P(EveryDetector, ConstantAndRepeatedFeatures) {
  TrainingFeatures set = training_features();
  DetectorInput near = near_features();
  DetectorInput far = far_features();
  for (DetectorInput* input : {&set.input, &near, &far}) {
    for (at::Tensor& tap : input->taps) {
      tap = at::cat({tap, at::full({tap.size(0), 1}, 0.1, at::kDouble), tap.narrow(1, 0, 2)}, 1);
    }
  }
  const auto detector = fitted(GetParam(), set);
  const std::vector<double> near_scores = score_all(*detector, near);
  for (const double score : near_scores) EXPECT_TRUE(std::isfinite(score));
  EXPECT_GT(mean(score_all(*detector, far)), mean(near_scores));
}

TEST_P(EveryDetector, FewerSamplesThanFeatures) {
  const auto detector = fitted(GetParam(), training_features(6, 2));
  for (const double score : score_all(*detector, near_features(10, 2))) {
    EXPECT_TRUE(std::isfinite(score));
  }
}

TEST_P(EveryDetector, TwoClasses) {
  const auto detector = fitted(GetParam(), training_features(200, 2));
  EXPECT_GT(mean(score_all(*detector, far_features(40, 2))),
            mean(score_all(*detector, near_features(40, 2))));
}

TEST_P(EveryDetector, SavedAndLoadedScoresTheSame) {
  const ScratchFolder scratch;
  DetectorOptions options;
  options.seed = 9;
  options.neighbours = 3;
  const auto detector = fitted(GetParam(), training_features(), options);
  save_detector(scratch.file("ood.safetensors"), *detector, {{"data", "ours"}},
                {{"thresholds", at::ones({2}, at::kDouble)}});
  const DetectorFile file = load_detector(scratch.file("ood.safetensors"));
  EXPECT_EQ(file.detector->name(), GetParam());
  EXPECT_EQ(file.facts.at("data"), "ours");
  EXPECT_EQ(values_of(entry(file.extras, "thresholds", {2})), std::vector<double>({1, 1}));
  EXPECT_EQ(score_all(*file.detector, near_features()), score_all(*detector, near_features()));
}

TEST_P(EveryDetector, Misuse) {
  const auto detector = make_detector(GetParam());
  expect_error<ArgumentError>([&] { detector->score(near_features()); },
                              "must be fitted before it scores");
  expect_error<ArgumentError>([&] { detector->state(); }, "must be fitted before it is saved");
  expect_error<DataError>([&] { detector->finish_pass(); }, "cannot be fitted without a sample");
  TrainingFeatures set = training_features();
  expect_error<DataError>([&] { detector->observe(set.input, set.labels.narrow(0, 0, 4)); },
                          "one whole-number label for each of its 300 samples");
  expect_error<DataError>([&] { detector->observe(set.input, set.labels - 1); }, "not on label -1");
  fit_detector(*detector, set.input, set.labels);
  expect_error<ArgumentError>([&] { detector->observe(set.input, set.labels); },
                              "is fitted already");
  DetectorInput wide = near_features();
  wide.taps.back() = at::cat({wide.taps.back(), wide.taps.back()}, 1);
  wide.appearance = at::cat({wide.appearance, wide.appearance}, 1);
  expect_error<DataError>([&] { detector->score(wide); }, "was fitted on features of dimension [");
  DetectorInput broken = near_features();
  broken.taps.back() = broken.taps.back().clone();
  broken.taps.back()[2][3] = std::nan("");
  expect_error<DataError>([&] { detector->score(broken); }, "there is a NaN or an infinity");
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const DetectorEntry& each : detector_entries()) all.emplace_back(each.name);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Ood, EveryDetector, testing::ValuesIn(names()), [](const auto& each) {
  std::string name = each.param;
  for (char& character : name) {
    if (!std::isalnum(static_cast<unsigned char>(character))) character = '_';
  }
  return name;
});

TEST(Detectors, AnUnknownNameListsTheKnown) {
  expect_error<ArgumentError>([] { make_detector("mahalanobi"); },
                              "the known ones are mahalanobis, relative-mahalanobis, "
                              "relative-mahalanobis-multi, cosine+pca, cosine+rff+pca, knn, vim");
}

TEST(Detectors, OptionsAreChecked) {
  const auto with = [](auto change) {
    DetectorOptions options;
    change(options);
    return options;
  };
  expect_error<ArgumentError>(
      [&] { make_detector("knn", with([](auto& o) { o.neighbours = 0; })); },
      "the number of neighbours must be at least 1, not 0");
  expect_error<ArgumentError>(
      [&] { make_detector("cosine+pca", with([](auto& o) { o.explained_variance = 1; })); },
      "the explained variance");
  expect_error<ArgumentError>(
      [&] { make_detector("mahalanobis", with([](auto& o) { o.shrinkage = 1.5; })); },
      "the shrinkage");
  const TrainingFeatures set = training_features();
  expect_error<ArgumentError>(
      [&] { fitted("vim", set, with([](auto& o) { o.principal_dimension = 8; })); },
      "the principal dimension must be below the number of features, 8, not 8");
}

TEST(Moments, OfManyFeaturesInAnyBatches) {
  const at::Tensor rows = random_rows(50, 613, 9) + 1e4;
  const at::Tensor centred = rows - rows.mean(0);
  for (const std::int64_t batch : {50, 9, 1}) {
    Moments moments;
    for (std::int64_t i = 0; i < 50; i += batch) {
      moments.add(rows.narrow(0, i, std::min(batch, 50 - i)));
    }
    EXPECT_EQ(moments.count(), 50);
    EXPECT_TRUE(at::allclose(moments.mean(), rows.mean(0), 1e-14, 0));
    EXPECT_TRUE(at::allclose(moments.scatter(), at::mm(centred.t(), centred), 1e-9, 1e-8));
  }
}

// An invertible affine map of the features changes no distance.
TEST(Mahalanobis, IsInvariantUnderAffineMaps) {
  const TrainingFeatures set = training_features();
  const auto mapped = [](DetectorInput input) {
    std::uint64_t stream = 300;
    for (at::Tensor& tap : input.taps) {
      const std::int64_t width = tap.size(1);
      const at::Tensor map = random_rows(width, width, stream++) + 3 * at::eye(width, at::kDouble);
      tap = at::mm(tap, map) * 100 + 1000 * random_rows(1, width, stream++);
    }
    return input;
  };
  const TrainingFeatures mapped_set{mapped(set.input), set.labels};
  for (const char* name : {"mahalanobis", "relative-mahalanobis", "relative-mahalanobis-multi"}) {
    expect_close(score_all(*fitted(name, mapped_set), mapped(near_features())),
                 score_all(*fitted(name, set), near_features()), 1e-7);
  }
}

TEST(Mahalanobis, TheMeanOfAClassScoresZero) {
  const TrainingFeatures set = training_features();
  const at::Tensor rows = set.input.taps.back();
  const at::Tensor mean =
      rows.index_select(0, at::nonzero(set.labels == 1).squeeze(1)).mean(0, true);
  const auto detector = fitted("mahalanobis", set);
  EXPECT_NEAR(detector->score({{mean.slice(1, 0, 5), mean}}).item<double>(), 0, 1e-9);
}

// Over the training set, mean squared distances to the own mean sum to the dimension.
TEST(Mahalanobis, MeanTrainingDistanceIsTheDimension) {
  const TrainingFeatures set = training_features(400, 1);
  EXPECT_NEAR(mean(score_all(*fitted("mahalanobis", set), set.input)), 8, 1e-9);
}

TEST(Mahalanobis, WithoutShrinkageASingularCovarianceIsAnError) {
  TrainingFeatures set = training_features();
  set.input.taps.back() = at::cat({set.input.taps.back(), set.input.taps.back()}, 1);
  DetectorOptions options;
  options.shrinkage = 0;
  expect_error<DataError>([&] { fitted("mahalanobis", set, options); },
                          "is singular, so that it needs a shrinkage above 0");
  options.shrinkage = 0.1;
  EXPECT_NO_THROW(fitted("mahalanobis", set, options));
}

TEST(Mahalanobis, FeaturesThatAreTheClassAreAnError) {
  TrainingFeatures set = training_features();
  set.input.taps.back() = set.labels.to(at::kDouble).unsqueeze(1) * 0.1 + 5;
  expect_error<DataError>([&] { fitted("mahalanobis", set); }, "needs features that vary");
}

TEST(CosineDetectors, LengthOfFeaturesDoesNotMatter) {
  const TrainingFeatures set = training_features();
  DetectorInput scaled = near_features();
  scaled.taps.back() = scaled.taps.back() * 50;
  for (const char* name : {"cosine+pca", "cosine+rff+pca", "knn"}) {
    const auto detector = fitted(name, set);
    expect_close(score_all(*detector, scaled), score_all(*detector, near_features()), 1e-9);
  }
}

TEST(Knn, ATrainingSampleIsItsOwnNearestNeighbour) {
  DetectorOptions options;
  options.neighbours = 1;
  const TrainingFeatures set = training_features();
  for (const double score : score_all(*fitted("knn", set, options), set.input)) {
    EXPECT_LT(score, 1e-6);
  }
}

TEST(Knn, KeepsAsManyAsItIsTold) {
  DetectorOptions options;
  options.bank = 50;
  const auto detector = fitted("knn", training_features(), options, 32);
  EXPECT_EQ(entry(detector->state(), "bank", {-1, 8}).size(0), 50);
  const auto again = fitted("knn", training_features(), options, 300);
  expect_close(score_all(*again, near_features()), score_all(*detector, near_features()), 1e-9);
}

TEST(Vim, NeedsLogits) {
  TrainingFeatures set = training_features();
  set.input.logits = at::Tensor();
  expect_error<DataError>([&] { fitted("vim", set); }, "needs the network's logits");
}

TEST(DetectorFiles, DamageIsNamed) {
  const ScratchFolder scratch;
  const std::string path = scratch.file("ood.safetensors");
  const auto detector = fitted("mahalanobis", training_features());
  save_detector(path, *detector);
  TensorFile file = read_safetensors(path);
  StateDict fewer;
  for (const NamedArray& each : file.tensors) {
    if (each.name == "detector.class_means") continue;
    NdArray copy(each.values.dtype(), each.values.shape());
    std::copy_n(each.values.bytes(), each.values.byte_size(), copy.bytes());
    fewer.add(each.name, std::move(copy));
  }
  write_safetensors(scratch.file("fewer.safetensors"), fewer, file.metadata);
  expect_error<DataError>([&] { load_detector(scratch.file("fewer.safetensors")); },
                          "lacks the tensor 'class_means'");
  write_safetensors(scratch.file("plain.safetensors"), file.tensors, {});
  expect_error<DataError>([&] { load_detector(scratch.file("plain.safetensors")); },
                          "holds no detector");
  file.metadata["detector"] = R"({"version": 2, "name": "mahalanobis"})";
  write_safetensors(scratch.file("later.safetensors"), file.tensors, file.metadata);
  expect_error<DataError>([&] { load_detector(scratch.file("later.safetensors")); },
                          "reads detectors of version 1, not 2");
  file.metadata["detector"] = R"({"version": 1e20, "name": "mahalanobis"})";
  write_safetensors(scratch.file("number.safetensors"), file.tensors, file.metadata);
  expect_error<DataError>(
      [&] { load_detector(scratch.file("number.safetensors")); },
      "the detector's field 'version' must be a whole number, not number 1e+20");
  expect_error<IoError>([&] { load_detector(scratch.file("none.safetensors")); }, "none");
}

}  // namespace
}  // namespace cubcal::test
