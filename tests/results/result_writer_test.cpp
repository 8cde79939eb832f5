#include "cubcal/results/result_writer.h"

#include <gtest/gtest.h>

#include "cli/program.h"
#include "cubcal/io/atomic_file.h"
#include "cubcal/results/result_record.h"

namespace cubcal::test {
namespace {

using Json = nlohmann::ordered_json;

results::MeasuredPart example_part(double accuracy) {
  const Json interval = Json::array({accuracy - 0.1, accuracy + 0.1});
  return {{{"samples", 20}, {"accuracy", accuracy}, {"delta_u", nullptr}},
          {{"accuracy", interval}, {"delta_u", nullptr}},
          {3, {5, 1}, {0, 2}, {{0, 0, 0}, {8, 0.25, 0.125}}}};
}

results::ResultDocument example_document() {
  results::ResultDocument document;
  document.program = "cubcal 0.2.0";
  document.experiment = "lungs";
  document.regime = "full";
  document.method = "bnn";
  document.seed = 2;
  document.passes = 20;
  document.model = "best";
  document.training.device = "CPU";
  document.training.settings = {{"seed", "2"}};
  document.training.stages = {{"bnn", 4}};
  document.val = {10, example_part(0.5)};
  document.test = {20, example_part(0.75)};
  document.post_hoc = {{"dts", 0.5, 2, {0.1, 1}, {1, 10}, {"at its bound"}, example_part(0.875)}};
  document.one_temperature = {{0.25, {{"accuracy", 0.75}}}};
  document.detectors = {{"knn", "kNN", {{0.7, {}}, {0.5, {}}, {0.9, {}}}, {}}};
  return document;
}

TEST(ResultWriter, WritesWhatIsRead) {
  const ScratchFolder folder;
  write_file_atomically(folder.file("a.json"), to_json(example_document()).dump());
  const results::ResultRecord record = results::read_result_record(folder.file("a.json"));
  EXPECT_EQ(record.experiment, "lungs");
  EXPECT_EQ(record.seed, 2U);
  EXPECT_EQ(record.device, "CPU");
  EXPECT_EQ(record.metrics.at("accuracy").value, 0.75);
  EXPECT_EQ(record.metrics.at("accuracy").interval->first, 0.65);
  EXPECT_FALSE(record.metrics.at("delta_u").value);
  EXPECT_EQ(record.spread.boundary[1].ideal, 0.125);
  ASSERT_EQ(record.post_hoc.size(), 1U);
  EXPECT_EQ(record.post_hoc[0].t_low, 2);
  EXPECT_EQ(record.post_hoc[0].metrics.at("accuracy").value, 0.875);
  EXPECT_EQ(record.scaled[0].temperature, 0.25);
  EXPECT_EQ(record.detectors[0].metrics.at("auroc").value, 0.7);
}

TEST(ResultWriter, KeepsTheOrderOfItsFields) {
  std::string keys;
  const Json json = to_json(example_document());
  for (const auto& entry : json.items()) keys += entry.key() + " ";
  EXPECT_EQ(keys,
            "format version program experiment paper regime method seed passes model training "
            "bootstrap val test post_hoc one_temperature ood ");
  EXPECT_EQ(json["post_hoc"][0]["box_high"].dump(), "[0.1,1.0]");
  EXPECT_EQ(json["training"]["stages"][0].dump(), R"({"method":"bnn","epochs":4,"seconds":0.0})");
}

}  // namespace
}  // namespace cubcal::test
