#include "cubcal/record/detector_record.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "cubcal/core/error.h"
#include "cubcal/io/atomic_file.h"
#include "expect_error.h"

namespace cubcal::test {
namespace {

const char* const kRow =
    R"({"detector":"knn","title":"kNN","auroc":0.7,"auroc_interval":[0.6,0.8],"aupr":0.5,)"
    R"("aupr_interval":[0.4,0.6],"fpr95":0.9,"fpr95_interval":[0.8,1.0],"categories":)"
    R"({"nih":{"samples":12,"auroc":0.65,"auroc_interval":[0.5,0.75]}}})";

TEST(DetectorRecord, IsReadAsItWasWritten) {
  const DetectorRecord row = detector_of(nlohmann::ordered_json::parse(kRow));
  EXPECT_EQ(row.detector, "knn");
  EXPECT_EQ(row.all.fpr95.interval->second, 1.0);
  ASSERT_EQ(row.categories.size(), 1U);
  EXPECT_EQ(row.categories[0].samples, 12U);
  EXPECT_FALSE(row.categories[0].detection.aupr.value);
  EXPECT_EQ(to_json(row).dump(), kRow);
}

TEST(DetectorRecord, FilesOfAnotherKindAreRefused) {
  const ScratchFolder folder;
  const std::string path = folder.file("ood.json");
  const auto expect = [&](const std::string& text, const char* what) {
    write_file_atomically(path, text);
    expect_error<DataError>([&] { read_detectors(path); }, what);
  };
  expect(R"({"format":"cubcal-run"})", "is not what 'cubcal ood' writes");
  expect(R"({"format":"cubcal-ood","rows":[1]})", "a row is not a JSON object");
  expect(R"({"format":"cubcal-ood","rows":[{"auroc":0.5,"aupr":0.5}]})",
         "a row is without the number 'fpr95'");
  expect(
      R"({"format":"cubcal-ood","rows":[{"auroc":0.5,"auroc_interval":[1],"aupr":0,"fpr95":0}]})",
      "'auroc_interval' is not a pair of numbers");
  write_file_atomically(path, std::string(R"({"format":"cubcal-ood","rows":[)") + kRow + "]}");
  EXPECT_EQ(read_detectors(path).size(), 1U);
}

}  // namespace
}  // namespace cubcal::test
