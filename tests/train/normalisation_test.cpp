#include "cubcal/train/normalisation.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "cli/program.h"
#include "cubcal/core/error.h"
#include "cubcal/infer/model_folder.h"
#include "cubcal/models/registry.h"
#include "expect_error.h"

namespace cubcal {
namespace {

using test::expect_error;

ImageSet set_of(std::int64_t channels) {
  ImageSet set;
  set.name = "levels";
  set.class_names = {"a", "b"};
  set.reduce_to = 12;
  ImageSplit split;
  split.name = "train";
  split.images =
      at::arange(2 * channels * 16 * 16).remainder(256).to(at::kByte).view({2, channels, 16, 16});
  split.labels = at::tensor({0, 1}, at::kLong);
  set.splits = {split};
  return set;
}

RunOptions normalised_with(NormaliseWith with) {
  RunOptions options;
  options.normalise.with = with;
  return options;
}

TEST(Normalisation, WithoutWeightsItIsTheTrainingSplits) {
  const RunPreprocessing automatic = run_preprocessing(set_of(3), {});
  EXPECT_EQ(automatic.with, NormaliseWith::kTrain);
  EXPECT_EQ(automatic.preprocessing.mean, fit_preprocessing(set_of(3).splits[0].images).mean);
  EXPECT_EQ(automatic.preprocessing.reduce_to, 12);
}

TEST(Normalisation, AFileOfWeightsMeansImageNets) {
  RunOptions options;
  options.pretrained = "resnet50.safetensors";
  const RunPreprocessing result = run_preprocessing(set_of(3), options);
  EXPECT_EQ(result.with, NormaliseWith::kImageNet);
  EXPECT_EQ(result.preprocessing.mean, kImageNetMean);
  EXPECT_EQ(result.preprocessing.standard_deviation, kImageNetDeviation);
  expect_error<ArgumentError>([&] { run_preprocessing(set_of(1), options); },
                              "images of 1 channel cannot be normalised with ImageNet's mean and "
                              "deviation, which are of 3");
  options.normalise.with = NormaliseWith::kTrain;
  EXPECT_EQ(run_preprocessing(set_of(1), options).with, NormaliseWith::kTrain);
}

TEST(Normalisation, AModelKeepsItsOwn) {
  const test::ScratchFolder folder;
  ModelDescription description;
  description.network = "small-resnet";
  description.class_names = {"a", "b"};
  description.preprocessing = run_preprocessing(set_of(3), {}).preprocessing;
  description.preprocessing.mean = {0.1, 0.2, 0.3};
  description.preprocessing.standard_deviation = {0.4, 0.5, 0.6};
  save_model(folder.file("model"), description,
             *make_network("small-resnet",
                           description.network_options(c10::Device(c10::DeviceType::CPU))));
  RunOptions options;
  options.pretrained = folder.file("model");
  const RunPreprocessing result = run_preprocessing(set_of(3), options);
  EXPECT_EQ(result.with, NormaliseWith::kModel);
  EXPECT_EQ(result.preprocessing.mean, (std::vector<double>{0.1, 0.2, 0.3}));
  EXPECT_EQ(result.preprocessing.standard_deviation, (std::vector<double>{0.4, 0.5, 0.6}));
  expect_error<ArgumentError>([&] { run_preprocessing(set_of(1), options); },
                              "the mean and deviation of the model it starts from, which are of 3");
  options.normalise.with = NormaliseWith::kImageNet;
  EXPECT_EQ(run_preprocessing(set_of(3), options).preprocessing.mean, kImageNetMean);
}

TEST(Normalisation, SaysWhatIsMissing) {
  expect_error<ArgumentError>(
      [] { run_preprocessing(set_of(3), normalised_with(NormaliseWith::kModel)); },
      "needs a model folder in model.pretrained");
  RunOptions options = normalised_with(NormaliseWith::kGiven);
  options.normalise.mean = {0.5};
  options.normalise.standard_deviation = {0.25};
  expect_error<ArgumentError>([&] { run_preprocessing(set_of(3), options); },
                              "the recipe's mean and deviation, which is of 1");
  EXPECT_EQ(run_preprocessing(set_of(1), options).preprocessing.mean, std::vector<double>{0.5});
}

}  // namespace
}  // namespace cubcal
