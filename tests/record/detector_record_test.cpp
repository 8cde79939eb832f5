#include "cubcal/record/detector_record.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

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

}  // namespace
}  // namespace cubcal::test
