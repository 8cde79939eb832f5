#include "cubcal/conformal/verdict_record.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cubcal/conformal/verdict_promises.h"
#include "cubcal/core/error.h"
#include "expect_error.h"

namespace cubcal::test {
namespace {

VerdictRecord some_record() {
  VerdictRecord record;
  record.detector = "combined";
  record.passes = 10;
  record.options.alpha = 0.05;
  record.options.risk_target = 0.1;
  record.options.miss_targets = {{1, 0.05}};
  record.options.sensitivity_floors = {{0, 0.9}};
  record.uncertainty = 0.25;
  record.validation = {200, 120, 70, 10, 6};
  record.validation_by_class = {{150, 100, 45, 5, 1}, {50, 20, 25, 5, 5}};
  record.achieved.id = VerdictRates{200, 100, 60, 40, 11};
  record.achieved.by_class = {{150, 90, 40, 20, 1}, {50, 10, 20, 20, 10}};
  record.achieved.ood = VerdictRates{30, 1, 9, 20, 1};
  return record;
}

TEST(VerdictRecord, RoundTrip) {
  VerdictRecord record = some_record();
  EXPECT_EQ(*verdict_record_from_json(verdict_record_to_json(record)).options.risk_target, 0.1);
  record.options.risk_target.reset();
  record.options.costs = VerdictCosts{2, {5, 50}};
  const nlohmann::ordered_json json = verdict_record_to_json(record);
  const VerdictRecord read = verdict_record_from_json(json);
  EXPECT_EQ(verdict_record_to_json(read), json);
  EXPECT_EQ(read.options.costs->referral, 2);
  EXPECT_EQ(read.options.costs->wrong, (std::vector<double>{5, 50}));
  EXPECT_EQ(read.options.sensitivity_floors[0].share, 0.9);
  EXPECT_EQ(read.achieved.by_class[1].errors, 10u);
  EXPECT_EQ(read.achieved.ood->out_of_scope, 20u);
}

TEST(VerdictRecord, OlderOnesLackWhatCameLater) {
  nlohmann::ordered_json json = verdict_record_to_json(some_record());
  for (const char* field : {"miss_targets", "sensitivity_floors", "costs", "validation_by_class",
                            "achieved", "achieved_by_class", "outliers", "probes"}) {
    json.erase(field);
  }
  const VerdictRecord read = verdict_record_from_json(json);
  EXPECT_FALSE(read.options.costs);
  EXPECT_FALSE(read.achieved.id);
  json["achieved_by_class"] = nlohmann::ordered_json::array();
  json["achieved_by_class"].push_back(nlohmann::ordered_json::object({{"samples", 1u}}));
  expect_error<DataError>([&] { verdict_record_from_json(json); }, "needs the field 'accepted'");
  json["achieved_by_class"] = nlohmann::ordered_json::array();
  json["risk_target"] = nullptr;
  json["costs"] = {{"referral", -1}, {"wrong", nlohmann::ordered_json::array()}};
  expect_error<DataError>([&] { verdict_record_from_json(json); }, "the cost of a referral must");
}

TEST(VerdictPromises, AreHeldAgainstOtherImages) {
  const std::vector<VerdictPromise> promises = verdict_promises(some_record());
  ASSERT_EQ(promises.size(), 4u);
  EXPECT_EQ(promises[0].state, PromiseState::kMissed) << "40 of 200 out of scope, 5% promised";
  EXPECT_EQ(promises[1].state, PromiseState::kUnclear) << "11 of 100 wrong, 10% promised";
  EXPECT_EQ(promises[2].state, PromiseState::kMissed) << "10 of 50 missed, 5% promised";
  EXPECT_EQ(promises[3].state, PromiseState::kKept) << "89 of 90 right, 90% promised";
  // scipy.stats.beta.ppf(0.025, 10, 41) and (0.975, 11, 40).
  EXPECT_NEAR(promises[2].low, 0.1003022, 1e-6);
  EXPECT_NEAR(promises[2].high, 0.3371831, 1e-6);
  EXPECT_EQ(promise_text(promises[2], {"nv", "mel"}),
            "at most 5.0% of the images of mel were to be accepted with a wrong answer; 20.0% "
            "[10.0, 33.7] of 50 were");
  VerdictRecord fresh = some_record();
  fresh.achieved = {};
  for (const VerdictPromise& each : verdict_promises(fresh)) {
    EXPECT_EQ(each.state, PromiseState::kUnknown);
  }
  EXPECT_EQ(promise_text(verdict_promises(fresh)[3], {}),
            "at least 90.0% of the accepted images of class 0 were to be answered right; no other "
            "image tells");
}

}  // namespace
}  // namespace cubcal::test
