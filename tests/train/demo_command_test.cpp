#include <gtest/gtest.h>

#include "cli/program.h"

namespace cubcal::test {
namespace {

TEST(DemoCommand, TellsTheWholeStoryAndMakesNothingTwice) {
  const ScratchFolder folder;
  const std::vector<std::string> arguments = {"demo", "--quick",    "--out",
                                              "d",    "--markdown", "d.md"};
  const Outcome first = run_cubcal(arguments, folder.path());
  ASSERT_EQ(first.exit_code, 0) << first.err;
  for (const char* words : {"mc-dropout", "bnn+avuc", "bnn+cub", "AvU", "ts-nll", "ts-bcce",
                            "dts-guarded", "AUROC of MI"}) {
    EXPECT_NE(first.out.find(words), std::string::npos) << words;
  }
  const std::string page = contents_of(folder.path() / "d.md");
  EXPECT_NE(page.find("| bnn+cub | "), std::string::npos) << page;
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "d/bnn+cub/calibration-dts.json"));

  const Outcome again = run_cubcal(arguments, folder.path());
  ASSERT_EQ(again.exit_code, 0) << again.err;
  EXPECT_NE(again.out.find("bnn+cub: trained before"), std::string::npos) << again.out;
  EXPECT_EQ(contents_of(folder.path() / "d.md"), page);

  const Outcome other = run_cubcal({"demo", "--quick", "--out", "d", "--seed", "2"}, folder.path());
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_NE(other.err.find("was made with other settings"), std::string::npos) << other.err;
}

}  // namespace
}  // namespace cubcal::test
