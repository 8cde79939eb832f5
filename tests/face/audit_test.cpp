#include "cubcal/audit.h"

#include <gtest/gtest.h>

#include "expect_error.h"
#include "metrics/predictive_rows.h"

namespace cubcal::test {
namespace {

/// 80 sure answers of class 0; the last 40 are of the south, where every second is wrong.
struct TwoSites {
  Predictive predictive;
  std::vector<std::int64_t> labels;
  SampleColumn site{"site", {}};

  TwoSites() : predictive(predictive_rows(std::vector<std::vector<double>>(80, {0.9, 0.1}))) {
    for (std::size_t i = 0; i < 80; ++i) {
      labels.push_back(i >= 40 && i % 2 == 1 ? 1 : 0);
      site.values.emplace_back(i >= 40 ? "south" : "north");
    }
  }
};

SubgroupOptions quick_audit() {
  SubgroupOptions options;
  options.replicates = 200;
  options.permutations = 200;
  return options;
}

TEST(AuditOfArrays, FindsTheGapThatIsThere) {
  const TwoSites data;
  const SubgroupReport report =
      audit_columns(data.predictive, data.labels, {data.site}, quick_audit());
  ASSERT_EQ(report.subgroups.size(), 2u);
  const SubgroupResult& south = report.subgroups[1];
  EXPECT_EQ(south.column, "site");
  EXPECT_EQ(south.value, "south");
  EXPECT_EQ(south.samples, 40u);
  const SubgroupValue& accuracy = south["accuracy"];
  EXPECT_NEAR(*accuracy.value, 0.5, 1e-15);
  EXPECT_NEAR(*accuracy.rest, 1, 1e-15);
  EXPECT_NEAR(*accuracy.gap, -0.5, 1e-15);
  EXPECT_LT(*accuracy.high, -0.2);
  EXPECT_NEAR(*accuracy.p, 1.0 / 201, 1e-12);
  EXPECT_TRUE(accuracy.found);
  EXPECT_FALSE(south["referral"].found);  // all have the same U
  EXPECT_GT(report.tests, 0u);
}

TEST(AuditOfArrays, TooFewToSay) {
  const TwoSites data;
  SubgroupOptions options = quick_audit();
  options.groups.assign(80, "one");
  for (std::size_t i = 0; i < 40; ++i) options.groups[i] = std::to_string(i);
  const SubgroupReport report = audit_columns(data.predictive, data.labels, {data.site}, options);
  EXPECT_EQ(report.subgroups[1].units, 1u);
  EXPECT_TRUE(report.subgroups[1].values.empty());
  expect_error<ArgumentError>([&] { report.subgroups[1]["accuracy"]; }, "too few");
}

TEST(AuditOfArrays, RefusesWhatMakesNoSense) {
  const TwoSites data;
  const auto audit = [&](const SubgroupOptions& options) {
    return audit_columns(data.predictive, data.labels, {data.site}, options);
  };
  SubgroupOptions options = quick_audit();
  options.tested = {"beauty"};
  expect_error<ArgumentError>([&] { audit(options); }, "'beauty'");
  expect_error<ArgumentError>(
      [&] {
        audit_columns(data.predictive, data.labels, {{"sex", {"f"}}}, quick_audit());
      },
      "sex has 1");
  options = quick_audit();
  options.tested = {"accuracy"};
  expect_error<ArgumentError>([&] { audit(options).subgroups[0]["beauty"]; }, "there are acc");
}

}  // namespace
}  // namespace cubcal::test
