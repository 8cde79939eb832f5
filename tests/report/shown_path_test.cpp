#include "cubcal/report/shown_path.h"

#include <gtest/gtest.h>

namespace cubcal::report {
namespace {

using Names = std::vector<std::string>;

TEST(ShownPath, KeepsRelativePathsAndTheLastPartOfOthers) {
  EXPECT_EQ(shown_path("runs/a/test.npz"), "runs/a/test.npz");
  EXPECT_EQ(shown_path("/home/ann/runs/test.npz"), "test.npz");
  EXPECT_EQ(shown_path("/home/ann/runs/"), "runs");
  EXPECT_EQ(shown_path("C:\\Users\\ann\\x.png"), "x.png");
  EXPECT_EQ(shown_path("~/x.png"), "x.png");
  EXPECT_EQ(shown_path(""), "");
}

TEST(ShownPath, QuotedPathsOfATextLoseTheirFolders) {
  EXPECT_EQ(without_folders("data = \"/home/ann/set\" # \"a/b\"\nnetwork = \"resnet\""),
            "data = \"…/set\" # \"a/b\"\nnetwork = \"resnet\"");
  EXPECT_EQ(without_folders("path = '/home/ann/set'\n"), "path = '…/set'\n")
      << "as recipes have it";
  EXPECT_EQ(without_folders("# ann's set: \"/home/ann/set\" isn't"),
            "# ann's set: \"…/set\" isn't");
  EXPECT_EQ(without_folders("it's \"open"), "it's \"open");
  EXPECT_EQ(without_folders("\"/\" \"\""), "\"/\" \"\"");
  EXPECT_EQ(without_folders("a \" b\nx = \"/c/d\""), "a \" b\nx = \"…/d\"")
      << "a quote that is not closed in its line is none";
}

TEST(ShownPath, TailsTellPathsApart) {
  EXPECT_EQ(distinct_tails({"/x/a/test.npz", "/x/b/test.npz"}), (Names{"a/test", "b/test"}));
  EXPECT_EQ(distinct_tails({"runs/a/", "runs/b"}), (Names{"a", "b"}));
  EXPECT_EQ(distinct_tails({"a/test.npz", "test.npz"}), (Names{"a/test", "test"}));
  EXPECT_EQ(distinct_tails({"a.npz", "./a.npz", "b.npz"}), (Names{"a", "a (2)", "b"}));
  EXPECT_TRUE(distinct_tails({}).empty());
}

}  // namespace
}  // namespace cubcal::report
