#include "cubcal/record/ood_record.h"

#include <gtest/gtest.h>

#include "cli/program.h"
#include "cubcal/core/error.h"
#include "cubcal/io/atomic_file.h"
#include "expect_error.h"

namespace cubcal::test {
namespace {

DetectorRecord example_row() {
  return {"knn", "kNN", {{0.7, {{0.6, 0.8}}}, {0.5, {}}, {0.9, {}}}, {}};
}

TEST(OodRecord, AnExperimentsHasTheSetAndTheRows) {
  OodRecord record;
  record.data = "phantom";
  record.table = OodTableRecord{100, 0.95, 1, true, {example_row()}};
  EXPECT_EQ(to_json(record).dump(),
            R"({"format":"cubcal-ood","version":1,"data":"phantom","bootstrap":{"replicates":100,)"
            R"("level":0.95,"seed":1,"by":"group"},"rows":[{"detector":"knn","title":"kNN",)"
            R"("auroc":0.7,"auroc_interval":[0.6,0.8],"aupr":0.5,"fpr95":0.9,"categories":{}}]})");
}

TEST(OodRecord, ACommandsSaysWhatItFollowsFrom) {
  OodRecord record;
  record.setup = OodSetup{"cubcal 0.2.0", "m", "train", "test", "ood", "mean", 20, 7};
  record.data = "phantom";
  record.verdict = {{"alpha", 0.05}};
  EXPECT_EQ(to_json(record).dump(),
            R"({"format":"cubcal-ood","version":1,"program":"cubcal 0.2.0","model":"m",)"
            R"("data":"phantom","fit_split":"train","id_split":"test","ood_split":"ood",)"
            R"("features":"mean","passes":20,"seed":7,"epsilon":null,"verdict":{"alpha":0.05}})");
}

TEST(OodRecord, FilesOfAnotherKindAreRefused) {
  const ScratchFolder folder;
  const std::string path = folder.file("ood.json");
  const auto expect = [&](const std::string& text, const char* what) {
    write_file_atomically(path, text);
    expect_error<DataError>([&] { read_detectors(path); }, what);
  };
  expect(R"({"format":"cubcal-run"})",
         "is not a table of detectors: its format must be 'cubcal-ood'");
  expect(R"({"format":"cubcal-ood","rows":[1]})", "a row is not a JSON object");
  expect(R"({"format":"cubcal-ood","rows":[{"auroc":0.5,"aupr":0.5}]})",
         "a row needs 'fpr95', a share from 0 to 1");
  expect(
      R"({"format":"cubcal-ood","rows":[{"auroc":0.5,"auroc_interval":[1],"aupr":0,"fpr95":0}]})",
      "'auroc_interval' is not a pair of shares from 0 to 1");
  expect(R"({"format":"cubcal-ood","rows":[{"auroc":1e308,"aupr":0,"fpr95":0}]})",
         "a row needs 'auroc', a share from 0 to 1");
  expect(
      R"({"format":"cubcal-ood","rows":[{"auroc":1,"auroc_interval":[0,2],"aupr":0,"fpr95":0}]})",
      "'auroc_interval' is not a pair of shares from 0 to 1");
  expect(R"({"format":"cubcal-ood","rows":[{"auroc":1,"aupr":0,"fpr95":0,)"
         R"("categories":{"far":{"auroc":1,"aupr":-1}}}]})",
         "a row needs 'aupr', a share from 0 to 1");
  OodRecord record;
  record.table = OodTableRecord{100, 0.95, 1, false, {example_row()}};
  write_file_atomically(path, to_json(record).dump());
  ASSERT_EQ(read_detectors(path).size(), 1U);
  EXPECT_EQ(read_detectors(path)[0].all.auroc.interval->second, 0.8);
}

}  // namespace
}  // namespace cubcal::test
