#include "cubcal/prevalence/prevalence_json.h"

#include <gtest/gtest.h>

#include "prevalence/drawn_samples.h"

namespace cubcal {
namespace {

PrevalenceReport example_report() {
  const ClassShares old_place{0.5, 0.3, 0.2};
  const auto drawn = test::drawn_samples(200, old_place, old_place, 1);
  PrevalenceOptions options;
  options.to = ClassShares{0.1, 0.3, 0.6};
  options.accept_up_to = 0.4;
  PrevalenceReport report;
  report.file = "val.npz";
  report.class_names = {"a", "b", "c"};
  report.study = study_prevalence({drawn.predictive, drawn.labels, {}}, std::nullopt, options);
  return report;
}

TEST(PrevalenceJson, HasSharesByClassAndTheThreeViews) {
  const PrevalenceReport report = example_report();
  const nlohmann::ordered_json json = prevalence_json(report);
  EXPECT_EQ(json["file"], "val.npz");
  EXPECT_TRUE(json["new_file"].is_null());
  EXPECT_EQ(json["to"]["c"], 0.6);
  EXPECT_EQ(json["to_is"], "stated");
  EXPECT_TRUE(json["estimate"].is_null());
  for (const NamedView& each : views_of(report.study)) {
    EXPECT_EQ(json[each.key]["metrics"]["accuracy"], *each.view.values[Metric::kAccuracy]);
    EXPECT_TRUE(json[each.key]["intervals"].is_null());
    EXPECT_EQ(json[each.key]["accepted"]["threshold"], 0.4);
  }
  EXPECT_FALSE(json["here"].contains("kept"));
  EXPECT_TRUE(json["there"].contains("kept"));
}

}  // namespace
}  // namespace cubcal
