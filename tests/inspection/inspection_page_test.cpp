#include "cubcal/inspection/inspection_page.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cubcal/core/error.h"
#include "cubcal/inspection/contact_sheet.h"
#include "cubcal/inspection/inspection_json.h"
#include "cubcal/inspection/thumbnails.h"
#include "inspection/fake_set.h"
#include "inspection/photographs.h"

namespace cubcal::test {
namespace {

std::vector<std::string> numbers(const SampleList& images) {
  std::vector<std::string> uris;
  for (const std::size_t i : images) uris.push_back("data:image/png;base64," + std::to_string(i));
  return uris;
}

std::string page_of(const FakeSet& set) {
  return inspection_page(set.catalog, set.facts, examine(set.catalog, set.facts), numbers);
}

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

TEST(InspectionPage, EscapesEveryText) {
  const std::string evil = "<script>alert('\"&')</script>";
  FakeSet set({"fine", evil});
  set.catalog.path = "/data/" + evil;
  set.catalog.columns = {evil};
  for (int i = 0; i < 40; ++i) set.add(i % 2, evil, evil, {i % 2 == 0 ? "x" : evil});
  for (Sample& sample : set.catalog.samples) sample.file = evil + sample.file;
  set.make_identical(0, 1);
  set.facts[5].unreadable = evil;
  const std::string page = page_of(set);
  EXPECT_EQ(page.find("<script"), std::string::npos);
  EXPECT_EQ(page.find("alert('\""), std::string::npos);
  EXPECT_GT(occurrences(page, "&lt;script&gt;"), 20U);
}

TEST(InspectionPage, NeedsNothingBesidesItself) {
  FakeSet set({"a", "b"});
  for (int i = 0; i < 30; ++i) set.add(i % 2, i < 20 ? "train" : "test");
  const std::string page = page_of(set);
  for (const char* outside : {"href=", "src=\"http", "url(", "@import", "<link", "<script"}) {
    EXPECT_EQ(page.find(outside), std::string::npos) << outside;
  }
  EXPECT_EQ(page.rfind("<!DOCTYPE html>", 0), 0U);
  EXPECT_NE(page.find("prefers-color-scheme: dark"), std::string::npos);
  EXPECT_NE(page.find("@media print"), std::string::npos);
}

TEST(InspectionPage, ShowsIdenticalImagesSideBySideWithTheirLabels) {
  FakeSet set({"mild", "severe"});
  for (int i = 0; i < 30; ++i) set.add(i % 2, "train");
  set.make_identical(4, 7);
  const std::string page = page_of(set);
  const std::size_t set_at = page.find("<div class=\"set\">");
  ASSERT_NE(set_at, std::string::npos);
  const std::string side_by_side = page.substr(set_at, page.find("</div>\n", set_at) - set_at);
  EXPECT_NE(side_by_side.find("base64,4\""), std::string::npos);
  EXPECT_NE(side_by_side.find("base64,7\""), std::string::npos);
  EXPECT_NE(side_by_side.find("<b>mild</b>"), std::string::npos);
  EXPECT_NE(side_by_side.find("<b>severe</b>"), std::string::npos);
}

TEST(InspectionPage, ListsEveryUnreadableFileAndLimitsPictures) {
  FakeSet set({"a", "b"});
  for (int i = 0; i < 200; ++i) set.add(i % 2, "train");
  for (std::size_t i = 0; i < 40; ++i) set.facts[i].unreadable = "no. " + std::to_string(i) + ";";
  for (std::size_t i = 40; i < 200; i += 2) set.make_identical(i, i + 1);
  const std::string page = page_of(set);
  for (int i = 0; i < 40; ++i) {
    EXPECT_NE(page.find("<li>no. " + std::to_string(i) + ";</li>"), std::string::npos) << i;
  }
  EXPECT_NE(page.find("and 68 sets more"), std::string::npos);
  EXPECT_LT(occurrences(page, "<figure"), 120U);
}

TEST(ContactSheet, ShowsEveryClassAndSplitByTheSeed) {
  FakeSet set({"a", "b"});
  for (int i = 0; i < 100; ++i) set.add(i % 2, i < 60 ? "train" : "test");
  for (int i = 0; i < 3; ++i) set.add(kNoLabel, kOutlierSplit);
  const std::vector<ContactStrip> sheet = contact_sheet(set.catalog, 1);
  ASSERT_EQ(sheet.size(), 5U);
  EXPECT_EQ(sheet[1].name, "a");
  EXPECT_EQ(sheet[1].split, "test");
  EXPECT_EQ(sheet[1].images, 20U);
  EXPECT_EQ(sheet[1].shown.size(), 8U);
  EXPECT_EQ(sheet[4].name, "unknown");
  EXPECT_EQ(sheet[4].shown.size(), 3U);
  for (const std::size_t i : sheet[1].shown) {
    EXPECT_EQ(set.catalog.samples[i].label, 0);
    EXPECT_EQ(set.catalog.samples[i].split, "test");
  }
  EXPECT_EQ(contact_sheet(set.catalog, 1)[0].shown, sheet[0].shown);
  EXPECT_NE(contact_sheet(set.catalog, 2)[0].shown, sheet[0].shown);
}

TEST(Thumbnails, AreSmallAndEmptyForWhatCannotBeRead) {
  const auto uris = thumbnail_uris({0, 1}, [](std::size_t i) -> Image {
    if (i == 1) throw DataError("damaged");
    return photograph(1, 400, 300);
  });
  EXPECT_EQ(uris[0].rfind("data:image/jpeg;base64,/9j/", 0), 0U);
  EXPECT_LT(uris[0].size(), 12000U);
  EXPECT_EQ(uris[0].size() % 4, std::string("data:image/jpeg;base64,").size() % 4);
  EXPECT_TRUE(uris[1].empty());
}

TEST(InspectionJson, HoldsEverything) {
  FakeSet set({"a", "b"});
  set.catalog.columns = {"site"};
  for (int i = 0; i < 40; ++i) {
    set.add(i % 2, i < 20 ? "train" : "test", "", {i % 2 == 0 ? "x" : "y"});
  }
  set.make_identical(0, 20);
  set.make_near(2, 4);
  set.facts[5].unreadable = "damaged";
  const ExamineOptions options;
  const auto json = nlohmann::json::parse(
      inspection_json(set.catalog, set.facts, examine(set.catalog, set.facts, options), options));
  EXPECT_EQ(json["samples"], 40);
  EXPECT_EQ(json["unreadable"], 1);
  EXPECT_EQ(json["counts"]["columns"], (std::vector<std::string>{"train", "test", "all"}));
  EXPECT_EQ(json["counts"]["classes"][1]["images"], (std::vector<int>{10, 10, 20}));
  EXPECT_EQ(json["thresholds"]["near_bits"], 24);
  EXPECT_EQ(json["findings"][0]["severity"], "leak");
  EXPECT_EQ(json["findings"][0]["kind"], "identical_across_splits");
  EXPECT_EQ(json["findings"][0]["sets"][0],
            (std::vector<std::string>{"image0.png", "image20.png"}));
  EXPECT_EQ(json["tables"][0]["column"], "site");
  EXPECT_TRUE(json["tables"][0]["telling"]);
  ASSERT_EQ(json["images"].size(), 40U);
  EXPECT_EQ(json["images"][5]["unreadable"], "damaged");
  EXPECT_EQ(json["images"][6]["width"], 100);
}

}  // namespace
}  // namespace cubcal::test
