#include "cubcal/audit/audit.h"

#include <gtest/gtest.h>

#include <cmath>

#include "cubcal/audit/audit_json.h"
#include "cubcal/core/error.h"
#include "cubcal/uncertainty/predictive.h"
#include "expect_error.h"
#include "random_logits.h"

namespace cubcal {
namespace {

using Columns = std::vector<SampleColumn>;

SampleFacts random_facts(std::uint64_t seed, std::size_t samples) {
  test::LogitShape shape;
  shape.samples = samples;
  shape.passes = 2;
  const test::LogitSet set = test::random_logits(shape, seed);
  return sample_facts(predict(set.view()), set.labels, {});
}

std::vector<std::string> in_pairs(std::size_t samples) {
  std::vector<std::string> groups;
  for (std::size_t i = 0; i < samples; ++i) groups.push_back("p" + std::to_string(i / 2));
  return groups;
}

/// Drawn for each patient of two samples.
SampleColumn drawn_column(const char* name, std::uint64_t seed, std::size_t samples, double share) {
  SampleColumn column{name, {}};
  for (std::size_t i = 0; i < samples; ++i) {
    SeedStream stream(seed, i / 2);
    column.values.push_back(stream.uniform() < share ? "one" : "other");
  }
  return column;
}

AuditOptions quick(std::size_t permutations) {
  AuditOptions options;
  options.bootstrap.replicates = 1;
  options.permutations = permutations;
  return options;
}

TEST(Audit, ADocumentSaysWhatItWasMadeOf) {
  const Audit audit = audit_subgroups(random_facts(1, 60), {drawn_column("sex", 3, 60, 0.4)},
                                      in_pairs(60), {}, quick(19));
  const auto json = nlohmann::ordered_json::parse(audit_document(audit, {"test.npz", "", "p < 1"}));
  EXPECT_EQ(json.begin().key(), "cubcal");
  EXPECT_EQ(json["file"], "test.npz");
  EXPECT_TRUE(json["calibration"].is_null());
  EXPECT_EQ(json["out_of_scope"], "p < 1");
  EXPECT_EQ(json["columns"].dump(), audit_json(audit)["columns"].dump());
}

TEST(Audit, IntervalsAreThoseOfResampledPatients) {
  const SampleFacts facts = random_facts(1, 120);
  const std::vector<std::string> groups = in_pairs(120);
  const SampleColumn sex = drawn_column("sex", 3, 120, 0.4);
  AuditOptions options = quick(19);
  options.bootstrap.replicates = 60;
  options.bootstrap.seed = 9;
  const Audit audit = audit_subgroups(facts, {sex}, groups, {}, options);
  const std::size_t accuracy = audit_place("accuracy");
  const ResamplingUnits units = resampling_units(120, groups, "labels");
  std::vector<double> gaps;
  for (std::size_t r = 0; r < 60; ++r) {
    SeedStream stream(9, r);
    const std::vector<std::uint32_t> counts = draw_counts(units, stream);
    double right[2] = {0, 0};
    double all[2] = {0, 0};
    for (std::size_t i = 0; i < 120; ++i) {
      const int side = sex.values[i] == "one" ? 0 : 1;
      right[side] += counts[i] * facts.correct[i];
      all[side] += counts[i];
    }
    gaps.push_back(right[0] / all[0] - right[1] / all[1]);
  }
  const Interval expected = percentile_interval(gaps, 0.95);
  const GroupAudit& one = audit.columns[0].groups[0];
  ASSERT_TRUE(one.is_compared);
  EXPECT_NEAR(one.gaps[accuracy].interval->low, expected.low, 1e-12);
  EXPECT_NEAR(one.gaps[accuracy].interval->high, expected.high, 1e-12);
  const GroupAudit& other = audit.columns[0].groups[1];
  EXPECT_NEAR(*other.gaps[accuracy].gap, -*one.gaps[accuracy].gap, 1e-12);
  EXPECT_EQ(other.gaps[accuracy].test->p, one.gaps[accuracy].test->p);
  EXPECT_EQ(one.units + other.units, 60U);
}

// Where columns say nothing, any of all gaps is called one at the alarm rate or less often: a small
// group, whose ECE is larger by its size alone, images that come in pairs, two columns at once.
TEST(Audit, FalseAlarmsKeepTheirRate) {
  constexpr int kSimulations = 2000;
  constexpr std::size_t kSamples = 120;
  int alarms = 0;
  int naive = 0;
  for (int s = 0; s < kSimulations; ++s) {
    SampleFacts facts = random_facts(static_cast<std::uint64_t>(1000 + s), kSamples);
    for (std::size_t i = 1; i < kSamples; i += 2) {  // the second image of a patient is the first
      facts.correct[i] = facts.correct[i - 1];
      facts.confidence[i] = facts.confidence[i - 1];
      facts.confidence_bin[i] = facts.confidence_bin[i - 1];
      facts.negative_log_likelihood[i] = facts.negative_log_likelihood[i - 1];
    }
    const auto seed = static_cast<std::uint64_t>(s);
    const Columns columns{drawn_column("sex", 2 * seed, kSamples, 0.25),
                          drawn_column("site", 2 * seed + 1, kSamples, 0.5)};
    AuditOptions options = quick(99);
    options.bootstrap.seed = seed;  // other shuffles for each file
    const Audit audit = audit_subgroups(facts, columns, in_pairs(kSamples), {}, options);
    bool is_alarm = false;
    bool is_naive = false;
    for (const ColumnAudit& column : audit.columns) {
      for (const GroupAudit& group : column.groups) {
        for (const AuditGap& gap : group.gaps) {
          is_alarm = is_alarm || audit.is_found(gap);
          is_naive = is_naive || (gap.test && gap.test->p <= 0.05);
        }
      }
    }
    alarms += is_alarm ? 1 : 0;
    naive += is_naive ? 1 : 0;
  }
  const double rate = static_cast<double>(alarms) / kSimulations;
  RecordProperty("false_alarm_rate", std::to_string(rate));
  EXPECT_LE(rate, 0.05 + 3 * std::sqrt(0.05 * 0.95 / kSimulations));
  EXPECT_GT(alarms, 0);  // not by never alarming
  EXPECT_GT(naive, 3 * alarms);
}

TEST(Audit, FindsAGapThatIsThere) {
  SampleFacts facts = random_facts(5, 300);
  const SampleColumn site = drawn_column("site", 6, 300, 0.3);
  for (std::size_t i = 0; i < 300; ++i) {
    if (site.values[i] == "one" && i % 3 != 0) facts.correct[i] = 0;
  }
  const Audit audit = audit_subgroups(facts, {site, drawn_column("sex", 7, 300, 0.5)},
                                      in_pairs(300), {}, quick(199));
  const AuditGap& gap = audit.columns[0].groups[0].gaps[audit_place("accuracy")];
  EXPECT_LT(*gap.gap, -0.3);
  EXPECT_TRUE(audit.is_found(gap));
  EXPECT_FALSE(audit.is_found(audit.columns[1].groups[0].gaps[audit_place("accuracy")]));
}

// Crossing is a column of the combinations, to the last bit.
TEST(Audit, CrossedColumnsAreAColumnOfTheirCombinations) {
  const SampleFacts facts = random_facts(3, 300);
  const SampleColumn sex = drawn_column("sex", 7, 300, 0.5);
  const SampleColumn site = drawn_column("site", 6, 300, 0.3);
  SampleColumn joined{"sex*site", {}};
  for (std::size_t i = 0; i < 300; ++i) {
    joined.values.push_back(sex.values[i] + " × " + site.values[i]);
  }
  const Audit alone = audit_subgroups(facts, {joined}, in_pairs(300), {}, quick(60));
  const Audit crossed = audit_subgroups(facts, {}, in_pairs(300), {}, quick(60), {{sex, site}});
  ASSERT_EQ(crossed.columns.size(), 1U);
  EXPECT_EQ(crossed.columns[0].column, "sex*site");
  EXPECT_EQ(crossed.columns[0].groups.size(), 4U);
  auto expected = audit_json(alone);
  expected["columns"][0]["grouping"] = "crossed";
  EXPECT_EQ(audit_json(crossed).dump(), expected.dump());
}

TEST(Audit, ProgressCountsEveryResampleOnce) {
  std::vector<std::size_t> told;
  std::size_t all = 0;
  const AuditOptions options = quick(30);
  audit_subgroups(random_facts(3, 100), {drawn_column("sex", 7, 100, 0.5)}, {}, {}, options, {},
                  [&](std::size_t done, std::size_t of) {
                    told.push_back(done);
                    all = of;
                  });
  EXPECT_EQ(all, options.bootstrap.replicates + options.permutations);
  ASSERT_EQ(told.size(), all);
  for (std::size_t i = 0; i < told.size(); ++i) EXPECT_EQ(told[i], i + 1);
}

// A column that names the image of each pair differs within every patient.
TEST(Audit, FindsAGapWithinPatients) {
  SampleFacts facts = random_facts(5, 200);
  SampleColumn view{"view", {}};
  for (std::size_t i = 0; i < 200; ++i) {
    view.values.push_back(i % 2 == 0 ? "frontal" : "lateral");
    if (i % 2 == 0 && i % 3 == 0) facts.correct[i] = 0;
  }
  const Audit audit = audit_subgroups(facts, {view}, in_pairs(200), {}, quick(199));
  EXPECT_FALSE(audit.columns[0].is_constant_in_units);
  EXPECT_TRUE(audit.is_found(audit.columns[0].groups[0].gaps[audit_place("accuracy")]));
}

TEST(Audit, TooFewUnitsAreNotCompared) {
  const SampleFacts facts = random_facts(1, 100);
  SampleColumn site{"site", {}};
  for (std::size_t i = 0; i < 100; ++i) {
    site.values.push_back(i < 18 ? "nine patients" : i < 38 ? "ten patients" : "many");
  }
  const Audit audit = audit_subgroups(facts, {site}, in_pairs(100), {}, quick(19));
  const std::vector<GroupAudit>& groups = audit.columns[0].groups;
  EXPECT_TRUE(groups[0].is_compared);
  EXPECT_FALSE(groups[1].is_compared);
  EXPECT_EQ(groups[1].units, 9U);
  EXPECT_EQ(groups[1].samples, 18U);
  EXPECT_TRUE(groups[1].gaps.empty());
  EXPECT_TRUE(groups[2].is_compared);
  EXPECT_EQ(audit.tests, 2 * audit.labels.size());
}

TEST(Audit, OneGroupAndTooManyAreLeftOutWithAReason) {
  const SampleFacts facts = random_facts(1, 40);
  Columns columns{{"same", {}}, {"note", {}}, {"empty", {}}};
  for (std::size_t i = 0; i < 40; ++i) {
    columns[0].values.push_back("x");
    columns[1].values.push_back("text " + std::to_string(i));
    columns[2].values.push_back("");
  }
  const Audit audit = audit_subgroups(facts, columns, {}, {}, quick(19));
  EXPECT_TRUE(audit.columns.empty());
  EXPECT_EQ(audit.tests, 0U);
  ASSERT_EQ(audit.skipped.size(), 3U);
  EXPECT_NE(audit.skipped[0].reason.find("is the same for all samples"), std::string::npos);
  EXPECT_NE(audit.skipped[1].reason.find("40 values that are not all numbers"), std::string::npos);
}

TEST(Audit, UndefinedValuesHaveNoGap) {
  SampleFacts facts = random_facts(1, 80);
  SampleColumn half{"half", {}};
  for (std::size_t i = 0; i < 80; ++i) {
    half.values.push_back(i < 40 ? "right" : "mixed");
    if (i < 40) facts.correct[i] = 1;
  }
  const Audit audit = audit_subgroups(facts, {half}, {}, {}, quick(19));
  const GroupAudit& right = audit.columns[0].groups[1];
  ASSERT_EQ(right.value, "right");
  const std::size_t delta = audit_place("delta_u");
  EXPECT_FALSE(right.values[delta]);
  EXPECT_FALSE(right.gaps[delta].gap);
  EXPECT_FALSE(right.gaps[delta].test);
  EXPECT_FALSE(right.gaps[delta].interval);
  EXPECT_TRUE(audit_json(audit)["columns"][0]["groups"][1]["gaps"]["delta_u"]["gap"].is_null());
}

TEST(Audit, OnlyWhatIsAskedForIsTested) {
  AuditOptions options = quick(19);
  options.tested = {"accuracy", "referral"};
  const Audit audit =
      audit_subgroups(random_facts(1, 80), {drawn_column("sex", 1, 80, 0.5)}, {}, {}, options);
  EXPECT_EQ(audit.tests, 4U);
  const GroupAudit& group = audit.columns[0].groups[0];
  EXPECT_TRUE(group.gaps[audit_place("referral")].test);
  EXPECT_FALSE(group.gaps[audit_place("ece")].test);
  EXPECT_TRUE(group.gaps[audit_place("ece")].interval);
  options.tested = {"accurracy"};
  test::expect_error<ArgumentError>([&] { check_audit_options(options); },
                                    "'accurracy' is not among the values of an audit: accuracy");
  options.tested = {"out_of_scope"};
  test::expect_error<ArgumentError>(
      [&] { audit_subgroups(random_facts(1, 80), {}, {}, {}, options); }, "without flags");
}

TEST(Audit, SaysWhatAMarginNeeds) {
  AuditOptions options = quick(19);
  options.bootstrap.replicates = 200;
  const Columns columns{drawn_column("sex", 1, 400, 0.5)};
  const auto finding = [&](double margin) {
    options.margin = margin;
    const Audit audit = audit_subgroups(random_facts(1, 400), columns, {}, {}, options);
    return audit.columns[0].groups[0].gaps[audit_place("accuracy")];
  };
  EXPECT_TRUE(finding(0.5).margin->is_within);
  const AuditGap narrow = finding(0.001);
  EXPECT_FALSE(narrow.margin->is_within);
  const double half = 0.5 * (narrow.interval->high - narrow.interval->low);
  const Audit audit = audit_subgroups(random_facts(1, 400), columns, {}, {}, options);
  EXPECT_NEAR(static_cast<double>(*narrow.margin->units_needed),
              static_cast<double>(audit.columns[0].groups[0].units) * half * half / 1e-6, 1);
  EXPECT_FALSE(audit.columns[0].groups[0].gaps[audit_place("ece")].margin);
}

TEST(Audit, TheSameForAnyNumberOfThreads) {
  const SampleFacts facts = random_facts(1, 90);
  const Columns columns{drawn_column("sex", 1, 90, 0.5)};
  const auto text = [&](std::size_t threads) {
    const test::Threads scope(threads);
    return audit_json(audit_subgroups(facts, columns, in_pairs(90), {}, quick(30))).dump();
  };
  EXPECT_EQ(text(1), text(3));
}

TEST(Audit, RefusesOptionsOutsideTheirDomain) {
  const auto refused = [](auto change, const char* words) {
    AuditOptions options;
    change(options);
    test::expect_error<ArgumentError>([&] { check_audit_options(options); }, words);
  };
  refused([](AuditOptions& o) { o.alarm_rate = 0; }, "the alarm rate");
  refused([](AuditOptions& o) { o.permutations = 0; }, "the number of permutations");
  refused([](AuditOptions& o) { o.permutations = 18; },
          "a gap needs p at or below 0.05, which 18 permutations cannot give: the option "
          "'permutations' must be at least 19");
  refused(
      [](AuditOptions& o) {
        o.permutations = 98;
        o.alarm_rate = 0.01;
      },
      "at least 99");
  refused([](AuditOptions& o) { o.fewest = 1; }, "the fewest units of a group");
  refused([](AuditOptions& o) { o.margin = 1; }, "the margin");
  refused([](AuditOptions& o) { o.refer_above = -1; }, "is referred");
}

}  // namespace
}  // namespace cubcal
