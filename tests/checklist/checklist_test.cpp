#include "cubcal/checklist/checklist.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <string>

namespace cubcal::checklist {
namespace {

TEST(Checklist, HasEveryPublishedNumberOnce) {
  const auto whole_numbers = [](Kind kind) {
    std::set<int> numbers;
    std::set<std::string> seen;
    for (const Item& item : items_of(kind)) {
      EXPECT_TRUE(seen.insert(item.number).second) << item.number << " stands twice";
      numbers.insert(std::atoi(item.number));
    }
    return numbers;
  };
  const std::set<int> claim = whole_numbers(Kind::kClaim);
  EXPECT_EQ(claim.size(), 44U);
  EXPECT_EQ(*claim.rbegin(), 44);
  EXPECT_EQ(items_of(Kind::kClaim).size(), 44U);
  const std::set<int> tripod = whole_numbers(Kind::kTripodAi);
  EXPECT_EQ(tripod.size(), 27U);
  EXPECT_EQ(*tripod.rbegin(), 27);
  EXPECT_EQ(items_of(Kind::kTripodAi).size(), 52U) << "with their parts";
  EXPECT_EQ(whole_numbers(Kind::kModelCard).size(), 9U);
}

TEST(Checklist, EveryItemCanBeAnsweredOrSaysWhatToWrite) {
  std::set<Topic> asked;
  for (const Kind kind : kKinds) {
    for (const Item& item : items_of(kind)) {
      EXPECT_FALSE(item.topics.empty() && *item.to_write == '\0') << item.number;
      asked.insert(item.topics.begin(), item.topics.end());
    }
  }
  EXPECT_EQ(asked.size(), static_cast<std::size_t>(Topic::kLimits) + 1)
      << "a topic nobody asks for";
}

TEST(Checklist, CountsWhatIsKnownAndWhatIsNot) {
  const std::string nothing = checklist_markdown(Kind::kClaim, "lesions", {});
  EXPECT_EQ(nothing.rfind("# CLAIM checklist: lesions\n", 0), 0U);
  EXPECT_NE(nothing.find("44 entries: 0 answered, 0 in part, 44 to write."), std::string::npos);
  const std::string some = checklist_markdown(
      Kind::kClaim, "lesions",
      {{Topic::kStatistics, {"Intervals by bootstrap."}}, {Topic::kSoftware, {"Program: x."}}});
  EXPECT_NE(some.find("44 entries: 1 answered, 2 in part, 41 to write."), std::string::npos);
  const std::size_t item = some.find("### 29. ");
  EXPECT_NE(some.find("*answered*\n\n- Intervals by bootstrap.\n", item), std::string::npos);
}

TEST(Checklist, TextOfDataStandsForItself) {
  const std::string text = checklist_markdown(
      Kind::kModelCard, "a\n# b", {{Topic::kModel, {"Network: <b>*x*</b> & [y](z)\n- one."}}});
  EXPECT_NE(text.find("# Model card: a \\# b\n"), std::string::npos);
  EXPECT_NE(text.find("- Network: \\<b\\>\\*x\\*\\</b\\> \\& \\[y\\](z) - one.\n"),
            std::string::npos);
}

TEST(Checklist, NamesAreReadBack) {
  for (const Kind kind : kKinds) EXPECT_EQ(kind_named(kind_name(kind)), kind);
  EXPECT_FALSE(kind_named("claims"));
  EXPECT_FALSE(kind_named(""));
}

}  // namespace
}  // namespace cubcal::checklist
