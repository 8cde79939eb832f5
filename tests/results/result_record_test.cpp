#include "cubcal/results/result_record.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "cli/program.h"
#include "cubcal/core/error.h"
#include "cubcal/io/atomic_file.h"
#include "expect_error.h"
#include "results/example_record.h"

namespace cubcal::test {
namespace {

using results::read_result_record;
using results::read_result_records;
using results::ResultRecord;

results::SplitResult example_split(std::size_t samples, double accuracy) {
  MetricValues values;
  MetricIntervals intervals;
  values[Metric::kAccuracy] = accuracy;
  values[Metric::kAccurateCertain] = 12;
  intervals[static_cast<std::size_t>(Metric::kAccuracy)] = {accuracy - 0.1, accuracy + 0.1, 1};
  return {samples,
          results::metric_map(values, intervals),
          {3, {5, 1}, {0, 2}, {{0, 0, 0}, {8, 0.25, 0.125}}}};
}

ResultRecord written_record() {
  ResultRecord record;
  record.program = "cubcal 0.2.0";
  record.experiment = "lungs";
  record.regime = "full";
  record.method = "bnn";
  record.seed = 2;
  record.passes = 20;
  record.model = "best";
  record.training.device = "CPU";
  record.training.settings = {{"seed", "2"}};
  record.training.pretrained_hash = "89ab";
  record.training.prior_precision = 0.1;
  record.training.stages = {{"bnn", 4}};
  record.bootstrap = {{"replicates", 100}};
  record.val = example_split(10, 0.5);
  record.test = example_split(20, 0.75);
  const results::SplitResult under = example_split(20, 0.875);
  record.post_hoc = {{"dts",
                      0.5,
                      2,
                      under.metrics,
                      under.spread,
                      {{0.1, 1}},
                      {{1, 10}},
                      {"note"},
                      "10-fold cross-validation"}};
  record.scaled = {{0.25, results::metric_map({})}};
  record.detectors = {{"knn", "kNN", {{0.7, {}}, {0.5, {}}, {0.9, {}}}, {}}};
  return record;
}

TEST(ResultRecord, IsReadAsItWasWritten) {
  const ScratchFolder folder;
  const std::string text = to_json(written_record()).dump(2);
  write_file_atomically(folder.file("a.json"), text);
  const ResultRecord read = read_result_record(folder.file("a.json"));
  EXPECT_EQ(to_json(read).dump(2), text);
  EXPECT_EQ(read.path, folder.file("a.json"));
  EXPECT_EQ(read.seed, 2U);
  EXPECT_EQ(read.passes, 20U);
  EXPECT_EQ(read.training.device, "CPU");
  EXPECT_EQ(read.training.stages[0].epochs, 4);
  EXPECT_EQ(read.training.pretrained_hash, "89ab");
  EXPECT_EQ(read.training.prior_precision, 0.1);
  EXPECT_EQ(read.val.samples, 10U);
  EXPECT_EQ(read.test.metrics.at("accuracy").value, 0.75);
  EXPECT_EQ(read.test.metrics.at("accuracy").interval->first, 0.65);
  EXPECT_FALSE(read.test.metrics.at("delta_u").value);
  EXPECT_EQ(read.test.spread.boundary[1].ideal, 0.125);
  ASSERT_EQ(read.post_hoc.size(), 1U);
  EXPECT_EQ(read.post_hoc[0].t_low, 2);
  EXPECT_EQ(read.post_hoc[0].box_low->second, 10);
  EXPECT_EQ(read.post_hoc[0].warnings, std::vector<std::string>{"note"});
  EXPECT_EQ(read.post_hoc[0].guard, "10-fold cross-validation");
  EXPECT_EQ(read.post_hoc[0].metrics.at("accuracy").value, 0.875);
  EXPECT_EQ(read.scaled[0].temperature, 0.25);
  EXPECT_EQ(read.detectors[0].all.auroc.value, 0.7);
}

/// Those of the repository's own experiments; early ones were written without two of the fields.
TEST(ResultRecord, KeptOnesAreWrittenAsTheyWere) {
  const std::string folder = std::string(CUBCAL_TEST_DATA) + "/../../results/";
  std::size_t compared = 0;
  for (const ResultRecord& record :
       read_result_records({folder + "chest-paper", folder + "skin-methods", folder + "retina"})) {
    nlohmann::ordered_json kept =
        nlohmann::ordered_json::parse(read_text_file(record.path, 1 << 20));
    nlohmann::ordered_json written = to_json(record);
    if (!kept["training"].contains("settings")) written["training"].erase("settings");
    if (!kept.contains("one_temperature")) written.erase("one_temperature");
    EXPECT_EQ(kept.dump(), written.dump()) << record.path;
    ++compared;
  }
  EXPECT_GE(compared, 60U);
}

TEST(ResultRecord, KeepsTheOrderOfItsFields) {
  std::string keys;
  const nlohmann::ordered_json json = to_json(written_record());
  for (const auto& entry : json.items()) keys += entry.key() + " ";
  EXPECT_EQ(keys,
            "format version program experiment paper regime method seed passes model training "
            "bootstrap val test post_hoc one_temperature ood ");
  EXPECT_EQ(json["post_hoc"][0]["box_high"].dump(), "[0.1,1.0]");
  EXPECT_EQ(json["training"]["stages"][0].dump(), R"({"method":"bnn","epochs":4,"seconds":0.0})");
  const nlohmann::ordered_json& metrics = json["test"]["metrics"];
  EXPECT_EQ(metrics.begin().key(), "accuracy") << "as tables list them, not by name";
  EXPECT_EQ(metrics["n_ac"].dump(), "12") << "counts are whole numbers";
  EXPECT_TRUE(json["test"]["intervals"]["n_ac"].is_null());
}

TEST(ResultRecord, OfAnEarlyOneIsWrittenWhatIsKnown) {
  ResultRecord record = written_record();
  record.test.spread = {};
  record.post_hoc[0].box_high.reset();
  record.post_hoc[0].guard.clear();
  record.training.pretrained_hash.clear();
  record.training.prior_precision.reset();
  record.test.metrics["of_old"] = {0.5, {}};
  const nlohmann::ordered_json json = to_json(record);
  EXPECT_FALSE(json["test"].contains("spread"));
  EXPECT_FALSE(json["post_hoc"][0].contains("box_high"));
  EXPECT_FALSE(json["post_hoc"][0].contains("guard"));
  EXPECT_FALSE(json["training"].contains("pretrained_hash"));
  EXPECT_FALSE(json["training"].contains("prior_precision"));
  EXPECT_EQ(json["test"]["metrics"].back(), 0.5) << "a metric that is not known stays";
}

TEST(ResultRecord, IsReadWhole) {
  const ScratchFolder folder;
  write_file_atomically(folder.file("a.json"), example_record_json("bnn", 2, 0.8).dump());
  const ResultRecord record = read_result_record(folder.file("a.json"));
  EXPECT_EQ(record.experiment, "lungs");
  EXPECT_EQ(record.paper, "chest");
  EXPECT_EQ(record.method, "bnn");
  EXPECT_EQ(record.seed, 2U);
  EXPECT_EQ(record.test.metrics.at("accuracy").value, 0.8);
  EXPECT_DOUBLE_EQ(record.test.metrics.at("accuracy").interval->second, 0.9);
  EXPECT_FALSE(record.test.metrics.at("delta_u").value.has_value());
  EXPECT_FALSE(record.test.metrics.at("delta_u").interval.has_value());
  ASSERT_EQ(record.post_hoc.size(), 1U);
  EXPECT_EQ(record.post_hoc[0].t_low, 2.0);
  EXPECT_TRUE(record.scaled.empty()) << "early records have none";
  ASSERT_EQ(record.detectors.size(), 1U);
  EXPECT_EQ(record.detectors[0].all.fpr95.interval->first, 0.8);
  ASSERT_EQ(record.detectors[0].categories.size(), 1U);
  EXPECT_EQ(record.detectors[0].categories[0].name, "nih");
  EXPECT_EQ(record.detectors[0].categories[0].detection.auroc.value, 0.7);
}

TEST(ResultRecord, TellsHowUncertaintyIsSpread) {
  const ScratchFolder folder;
  nlohmann::json json = example_record_json("bnn", 2, 0.8);
  const auto read = [&] {
    write_file_atomically(folder.file("a.json"), json.dump());
    return read_result_record(folder.file("a.json"));
  };
  EXPECT_EQ(read().test.spread.classes, 0U) << "early records have none";
  json["test"]["spread"] = {{"classes", 3},    {"right", {5, 1}},     {"wrong", {0, 2}},
                            {"count", {0, 8}}, {"entropy", {0, 0.2}}, {"ideal", {0, 0.1}}};
  const results::AnswerSpread spread = read().test.spread;
  EXPECT_EQ(spread.classes, 3U);
  EXPECT_EQ(spread.right, (std::vector<double>{5, 1}));
  EXPECT_EQ(spread.wrong, (std::vector<double>{0, 2}));
  ASSERT_EQ(spread.boundary.size(), 2U);
  EXPECT_EQ(spread.boundary[1].count, 8);
  EXPECT_EQ(spread.boundary[1].entropy, 0.2);
  EXPECT_EQ(spread.boundary[1].ideal, 0.1);
  json["test"]["spread"]["right"] = {5, -1};
  expect_error<DataError>([&] { read(); }, "must be whole numbers from 0 on");
  json["test"]["spread"]["right"] = {5, 1e300};
  expect_error<DataError>([&] { read(); }, "must be whole numbers from 0 on");
  json["test"]["spread"]["right"] = {5, 1};
  json["test"]["spread"]["entropy"] = {0, std::log(3.0)};
  EXPECT_EQ(read().test.spread.boundary[1].entropy, std::log(3.0));
  for (const char* list : {"entropy", "ideal"}) {
    for (const double entropy : {-0.1, 1.2, 1e308}) {
      nlohmann::json spoilt = json;
      spoilt["test"]["spread"][list] = {0, entropy};
      std::swap(spoilt, json);
      expect_error<DataError>([&] { read(); },
                              "the entropies of the field 'spread' must lie between 0 and ln 3");
      std::swap(spoilt, json);
    }
  }
  json["test"]["spread"]["ideal"] = {0.1};
  expect_error<DataError>([&] { read(); }, "the lists of the field 'spread'");
}

TEST(ResultRecord, OneTemperatureHasMetricsWithoutIntervals) {
  const ScratchFolder folder;
  nlohmann::json json = example_record_json("bnn", 2, 0.8);
  json["one_temperature"] = {{{"t", 0.5}, {"metrics", {{"avu", 0.9}, {"nll", nullptr}}}}};
  write_file_atomically(folder.file("a.json"), json.dump());
  const ResultRecord record = read_result_record(folder.file("a.json"));
  ASSERT_EQ(record.scaled.size(), 1U);
  EXPECT_EQ(record.scaled[0].temperature, 0.5);
  EXPECT_EQ(record.scaled[0].metrics.at("avu").value, 0.9);
  EXPECT_FALSE(record.scaled[0].metrics.at("avu").interval.has_value());
  EXPECT_FALSE(record.scaled[0].metrics.at("nll").value.has_value());
}

TEST(ResultRecord, SaysWhichFileIsNone) {
  const ScratchFolder folder;
  for (const char* text : {"{}", "[1]", R"({"format": "cubcal-run", "version": 1})"}) {
    write_file_atomically(folder.file("bad.json"), text);
    expect_error<DataError>([&] { read_result_record(folder.file("bad.json")); },
                            "bad.json' is not a record of a result");
  }
}

TEST(ResultRecord, SaysWhatIsWrongWithAFile) {
  const ScratchFolder folder;
  const auto refused = [&](const std::string& text, const std::string& words) {
    write_file_atomically(folder.file("bad.json"), text);
    expect_error<DataError>([&] { read_result_record(folder.file("bad.json")); },
                            "bad.json' " + words);
  };
  refused("", "is empty");
  refused("{", "is not valid JSON");
  nlohmann::json record = example_record_json("bnn", 1, 0.8);
  record["seed"] = "one";
  refused(
      record.dump(),
      "is not a record of a result: the result's field 'seed' must be a whole number from 0 on, "
      "not string");
  record.erase("seed");
  refused(record.dump(), "is not a record of a result: a result needs the field 'seed'");
  record = example_record_json("bnn", 1, 0.8);
  record["test"].erase("intervals");
  refused(record.dump(), "is not a record of a result: a result needs the field 'intervals'");
  record = example_record_json("bnn", 1, 0.8);
  record["test"]["metrics"]["accuracy"] = 1e308;
  refused(record.dump(),
          "is not a record of a result: the result's field 'accuracy' must be a number between "
          "-1e+100 and 1e+100, not number 1e+308");
  record = example_record_json("bnn", 1, 0.8);
  record["test"]["intervals"]["accuracy"] = {0.5, -1e308};
  refused(record.dump(),
          "is not a record of a result: the result's field 'accuracy' must be two numbers between "
          "-1e+100 and 1e+100, not array");
}

TEST(ResultRecord, FoldersAreSearchedAndSorted) {
  const ScratchFolder folder;
  std::filesystem::create_directories(folder.path() / "deep/er");
  write_file_atomically(folder.file("z.json"), example_record_json("bnn", 1, 0.8).dump());
  write_file_atomically(folder.file("deep/er/a.json"), example_record_json("bnn", 2, 0.8).dump());
  write_file_atomically(folder.file("note.txt"), "no record");
  const auto records = read_result_records({folder.path().string()});
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].seed, 1U);
  EXPECT_EQ(records[1].seed, 2U);
}

TEST(ResultRecord, TheSameRunTwiceIsRefused) {
  const ScratchFolder folder;
  for (const char* name : {"a.json", "b.json"}) {
    write_file_atomically(folder.file(name), example_record_json("bnn", 1, 0.8).dump());
  }
  expect_error<DataError>([&] { read_result_records({folder.path().string()}); },
                          "there are two records of lungs, full, bnn, seed 1: '" +
                              folder.file("a.json") + "' and '" + folder.file("b.json") + "'");
  const ScratchFolder empty;
  EXPECT_THROW(read_result_records({empty.path().string()}), ArgumentError);
}

}  // namespace
}  // namespace cubcal::test
