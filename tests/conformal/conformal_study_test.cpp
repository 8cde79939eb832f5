#include "cubcal/conformal/conformal_study.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cubcal/conformal/conformal_json.h"

namespace cubcal {
namespace {

/// Four samples of two classes; three sets hold the label.
ConformalStudy example_study() {
  ConformalRule rule;
  rule.options.alpha = 0.1;
  rule.classes = 2;
  rule.cells[""] = {{20, 0.5}};
  const std::vector<std::uint8_t> sets{1, 0, 1, 1, 0, 1, 1, 0};
  return study_sets(rule, "", sets,
                    {{"a", "b"}, {0, 0, 1, 1}, {{"site", {"x", "", "x", ""}}}, true}, 0.95);
}

TEST(ConformalStudy, SummarisesAllLabelsAndColumns) {
  const ConformalStudy study = example_study();
  EXPECT_EQ(study.overall.samples, 4U);
  EXPECT_EQ(study.overall.covered.count, 3U);
  ASSERT_EQ(study.tables.size(), 2U);
  EXPECT_EQ(study.tables[0].column, "label");
  EXPECT_EQ(study.tables[0].rows[1].name, "b");
  EXPECT_EQ(study.tables[0].rows[1].covered.count, 1U);
  EXPECT_EQ(study.tables[1].rows[0].name, "(empty)");
  EXPECT_TRUE(study.forecast());
  EXPECT_TRUE(missed_promises(study).empty()) << "four samples cannot show it";
}

TEST(ConformalStudy, IsWrittenAsJson) {
  const nlohmann::ordered_json json = conformal_json(example_study());
  EXPECT_EQ(json["alpha"], 0.1);
  EXPECT_TRUE(json["by_column"].is_null());
  EXPECT_EQ(json["cells"][0]["samples"], 20);
  EXPECT_EQ(json["overall"]["covered"]["count"], 3);
  EXPECT_EQ(json["tables"]["label"][0]["name"], "a");
  EXPECT_EQ(json["missed"].size(), 0U);
}

}  // namespace
}  // namespace cubcal
