#include "cubcal/record/epoch_record.h"

#include <gtest/gtest.h>

#include <cmath>

#include "cli/program.h"
#include "cubcal/core/error.h"
#include "cubcal/io/atomic_file.h"
#include "expect_error.h"

namespace cubcal::test {
namespace {

EpochRecord example_epoch() {
  EpochRecord epoch;
  epoch.stage = 2;
  epoch.epoch = 3;
  epoch.steps = 69;
  epoch.learning_rate = 0.001;
  epoch.loss = 3.25;
  epoch.cross_entropy = 0.5;
  epoch.kl = 2.5;
  epoch.kl_share = 0.75;
  epoch.objective = {{"cub", 24.5}, {"beta", 0.01}};
  epoch.terms = {{"cub", "CUB-Loss"}};
  epoch.train_accuracy = 0.875;
  epoch.sigma_mean = 0.1;
  epoch.sigma_smallest = 0.01;
  epoch.sigma_largest = 0.5;
  epoch.noise_to_signal = 0.25;
  epoch.validation = {{"accuracy", 0.75}, {"delta_u", EpochRecord::kUnknown}};
  epoch.best = true;
  epoch.seconds = 1.5;
  return epoch;
}

TEST(EpochRecord, IsALineOfMetrics) {
  EXPECT_EQ(epoch_line(example_epoch()),
            R"({"stage":2,"epoch":3,"step":69,"learning_rate":0.001,"loss":3.25,)"
            R"("cross_entropy":0.5,"kl":2.5,"kl_share":0.75,"cub":24.5,"beta":0.01,)"
            R"("terms":{"cub":"CUB-Loss"},"train_accuracy":0.875,"sigma":{"mean":0.1,)"
            R"("smallest":0.01,"largest":0.5,"noise_to_signal":0.25},)"
            R"("validation":{"accuracy":0.75,"delta_u":null},"best":true,"seconds":1.5})"
            "\n");
}

TEST(EpochRecord, IsReadAsItWasWritten) {
  const ScratchFolder folder;
  const std::string line = epoch_line(example_epoch());
  write_file_atomically(folder.file("metrics.jsonl"), line + line);
  const std::vector<EpochRecord> epochs = read_epochs(folder.file("metrics.jsonl"));
  ASSERT_EQ(epochs.size(), 2U);
  EXPECT_EQ(epoch_line(epochs[1]), line);
}

TEST(EpochRecord, KnownNumbersHaveNames) {
  const std::map<std::string, double> values = example_epoch().values();
  EXPECT_EQ(values.at("cub"), 24.5);
  EXPECT_EQ(values.at("sigma.mean"), 0.1);
  EXPECT_EQ(values.at("validation.accuracy"), 0.75);
  EXPECT_EQ(values.count("validation.delta_u"), 0U);
}

TEST(EpochRecord, LinesOfEarlierVersionsAreRead) {
  const ScratchFolder folder;
  write_file_atomically(folder.file("metrics.jsonl"),
                        R"({"stage":1,"epoch":2,"loss":0.5,"cub":3.0,"avuc":0.0})"
                        "\n");
  const EpochRecord epoch = read_epochs(folder.file("metrics.jsonl")).at(0);
  EXPECT_TRUE(std::isnan(epoch.kl));
  EXPECT_EQ(epoch.terms.size(), 2U) << "CUB-Loss and AvUC, before lines named their terms";
  EXPECT_EQ(epoch.objective.size(), 2U);
}

TEST(EpochRecord, AFieldOfAnotherTypeIsNoTermOfTheLoss) {
  const ScratchFolder folder;
  write_file_atomically(folder.file("metrics.jsonl"),
                        R"({"stage":1,"sigma":1,"terms":2,"validation":3,"best":4})"
                        "\n");
  const EpochRecord epoch = read_epochs(folder.file("metrics.jsonl")).at(0);
  EXPECT_TRUE(epoch.objective.empty());
  EXPECT_NE(epoch_line(epoch).find("\"sigma\":{"), std::string::npos) << epoch_line(epoch);
}

TEST(EpochRecord, SaysWhichLineIsWrong) {
  const ScratchFolder folder;
  const std::string path = folder.file("metrics.jsonl");
  const std::string good = epoch_line(example_epoch());
  const auto expect = [&](const std::string& second, const char* what) {
    write_file_atomically(path, good + second + "\n" + good);
    expect_error<DataError>([&] { read_epochs(path); }, what);
  };
  expect("[1]", "line 2 of");
  expect("{\"stage\":", "line 2 of");
  expect(R"({"stage":1e18,"epoch":1})", "its field 'stage' is out of bounds");
  expect(R"({"stage":0,"epoch":1})", "its field 'stage' is out of bounds");
  expect(R"({"stage":1,"epoch":-1})", "its field 'epoch' is out of bounds");
}

}  // namespace
}  // namespace cubcal::test
