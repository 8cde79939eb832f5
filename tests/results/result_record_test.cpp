#include "cubcal/results/result_record.h"

#include <gtest/gtest.h>

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

TEST(ResultRecord, IsReadWhole) {
  const ScratchFolder folder;
  write_file_atomically(folder.file("a.json"), example_record_json("bnn", 2, 0.8).dump());
  const ResultRecord record = read_result_record(folder.file("a.json"));
  EXPECT_EQ(record.experiment, "lungs");
  EXPECT_EQ(record.paper, "chest");
  EXPECT_EQ(record.method, "bnn");
  EXPECT_EQ(record.seed, 2U);
  EXPECT_EQ(record.metrics.at("accuracy").value, 0.8);
  EXPECT_DOUBLE_EQ(record.metrics.at("accuracy").interval->second, 0.9);
  EXPECT_FALSE(record.metrics.at("delta_u").value.has_value());
  EXPECT_FALSE(record.metrics.at("delta_u").interval.has_value());
  ASSERT_EQ(record.post_hoc.size(), 1U);
  EXPECT_EQ(record.post_hoc[0].t_low, 2.0);
  EXPECT_TRUE(record.scaled.empty()) << "early records have none";
  ASSERT_EQ(record.detectors.size(), 1U);
  EXPECT_EQ(record.detectors[0].metrics.at("fpr95").interval->first, 0.8);
  EXPECT_EQ(record.detectors[0].categories.at("nih").at("auroc").value, 0.7);
}

TEST(ResultRecord, TellsHowUncertaintyIsSpread) {
  const ScratchFolder folder;
  nlohmann::json json = example_record_json("bnn", 2, 0.8);
  const auto read = [&] {
    write_file_atomically(folder.file("a.json"), json.dump());
    return read_result_record(folder.file("a.json"));
  };
  EXPECT_EQ(read().spread.classes, 0U) << "early records have none";
  json["test"]["spread"] = {{"classes", 3},    {"right", {5, 1}},     {"wrong", {0, 2}},
                            {"count", {0, 8}}, {"entropy", {0, 0.2}}, {"ideal", {0, 0.1}}};
  const results::AnswerSpread spread = read().spread;
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
