// `cubcal data split` by the real program.

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "cli/program.h"
#include "cubcal/dataset/catalog.h"

namespace cubcal::test {
namespace {

namespace fs = std::filesystem;

class DataSplit : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(scratch_.path() / "my scans");
    std::ofstream table(scratch_.file("my scans/labels.csv"));
    table << "file,label_name,group,split,source\n";
    for (int i = 0; i < 200; ++i) {
      const std::string name = std::to_string(i) + ".png";
      std::ofstream(scratch_.file("my scans/" + name)) << "x";
      table << name << ","
            << (i % 4 == 0   ? "ill"
                : i % 4 == 1 ? "odd"
                             : "well")
            << ",p" << i / 2 << ",train," << (i % 10 < 7 ? "north" : "south") << "\n";
    }
  }

  Outcome run(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"data", "split"});
    return run_cubcal(arguments, scratch_.path());
  }

  void expect_refused(const std::vector<std::string>& arguments, int exit_code,
                      const std::string& words) const {
    const Outcome result = run(arguments);
    EXPECT_EQ(result.exit_code, exit_code) << result.err;
    EXPECT_NE(result.err.find(words), std::string::npos) << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_FALSE(fs::exists(scratch_.path() / "out.csv"));
  }

  ScratchFolder scratch_;
};

TEST_F(DataSplit, WritesAManifestAndSaysWhatIsInIt) {
  const Outcome result = run({"my scans", "-o", "out.csv"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(result.out,
            "my scans: manifest\n"
            "          train  val  test  all\n"
            "  ill        35    8     7   50\n"
            "  odd        35    8     7   50\n"
            "  well       70   14    16  100\n"
            "  all       140   30    30  200\n"
            "  groups     70   15    15  100\n"
            "200 images could not be read to look for duplicates.\n"
            "wrote out.csv\n");
  const Catalog catalog = open_catalog(scratch_.file("out.csv"));
  EXPECT_EQ(catalog.samples.size(), 200u);
  EXPECT_EQ(catalog.columns, (std::vector<std::string>{"source"}));
  EXPECT_EQ(catalog.samples[0].file, "my scans/0.png");

  const std::string first = contents_of(scratch_.file("out.csv"));
  run({"my scans", "-o", "out.csv"});
  EXPECT_EQ(contents_of(scratch_.file("out.csv")), first);
  run({"my scans", "-o", "out.csv", "--seed", "43"});
  EXPECT_NE(contents_of(scratch_.file("out.csv")), first);
}

TEST_F(DataSplit, ChoosesRowsAndHoldsClassesOut) {
  const Outcome result =
      run({"my scans", "-o", "out.csv", "--where", "source=north", "--where", "group!=p0",
           "--hold-out", "odd", "--ratios", "8:0:2", "--stratify-by", "source"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Catalog catalog = open_catalog(scratch_.file("out.csv"));
  EXPECT_EQ(catalog.class_names, (std::vector<std::string>{"ill", "well"}));
  EXPECT_EQ(catalog.split_names(), (std::vector<std::string>{"train", "test", "ood"}));
  EXPECT_NE(result.out.find("odd (no class)"), std::string::npos) << result.out;
  for (const Sample& sample : catalog.samples) EXPECT_EQ(sample.metadata[0], "north");
}

TEST_F(DataSplit, TakesAFractionOfGivenSplits) {
  ASSERT_EQ(run({"my scans", "-o", "all.csv"}).exit_code, 0);
  const Outcome result =
      run({"all.csv", "-o", "out.csv", "--keep-splits", "--fraction", "0.5", "--drop", "odd"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Catalog all = open_catalog(scratch_.file("all.csv"));
  const Catalog half = open_catalog(scratch_.file("out.csv"));
  const auto count = [](const Catalog& catalog, const std::string& split) {
    return std::count_if(catalog.samples.begin(), catalog.samples.end(), [&](const Sample& sample) {
      return sample.split == split && sample.label_name != "odd";
    });
  };
  EXPECT_EQ(count(half, "test"), count(all, "test"));
  EXPECT_NEAR(static_cast<double>(count(half, "train")),
              0.5 * static_cast<double>(count(all, "train")), 3);
}

TEST_F(DataSplit, SplitsClassFoldersAndSaysThatNoGroupsAreKnown) {
  for (const std::string name : {"a", "b"}) {
    fs::create_directories(scratch_.path() / "tree" / name);
    for (int i = 0; i < 10; ++i) {
      std::ofstream(scratch_.file("tree/" + name + "/" + std::to_string(i) + ".png")) << "x";
    }
  }
  const Outcome result = run({"tree", "-o", "tree/labels.csv"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("tree: class folders"), std::string::npos);
  EXPECT_NE(result.out.find("No groups are known"), std::string::npos);
  EXPECT_EQ(open_catalog(scratch_.file("tree")).samples[0].file, "a/0.png");
}

TEST_F(DataSplit, Refuses) {
  expect_refused({"my scans"}, 2, "--output is required (see 'cubcal data split --help')");
  expect_refused({"my scans", "-o", "out.txt"}, 2, "--output must end in .csv, not be 'out.txt'");
  expect_refused({"nowhere", "-o", "out.csv"}, 1, "cannot read 'nowhere': No such file");
  expect_refused({"my scans", "-o", "my scans/labels.csv"}, 2, "is the data set that is read");
  expect_refused({".", "-o", "my scans/labels.csv"}, 2, "is the data set that is read");
  expect_refused({"my scans/labels.csv", "-o", "./my scans/labels.csv"}, 2, "name another file");
  expect_refused({"my scans", "-o", "out.csv", "--ratios", "7:3"}, 2,
                 "--ratios must be three numbers for train:val:test");
  expect_refused({"my scans", "-o", "out.csv", "--ratios", "7:-1:1"}, 2, "the share of val");
  expect_refused({"my scans", "-o", "out.csv", "--where", "source"}, 2, "the filter 'source'");
  expect_refused({"my scans", "-o", "out.csv", "--where", "source=east"}, 2, "'north', 'south'");
  expect_refused({"my scans", "-o", "out.csv", "--hold-out", "sick"}, 2, "'ill', 'odd', 'well'");
  expect_refused({"my scans", "-o", "out.csv", "--fraction", "2"}, 2, "--fraction");
  expect_refused({"my scans", "-o", "out.csv", "--fraction", "0"}, 2,
                 "the share of the images to keep");
  expect_refused({"my scans", "-o", "out.csv", "--keep-splits", "--ratios", "1:1:1"}, 2,
                 "--keep-splits");
  expect_refused({"my scans/0.png", "-o", "out.csv"}, 1, "has no classes");
  std::ofstream(scratch_.file("bad.csv")) << "file,label\ngone.png,0\n";
  expect_refused({"bad.csv", "-o", "out.csv"}, 1, "line 2 names 'gone.png', which does not exist");
}

TEST_F(DataSplit, IsKnownToTheShell) {
  const std::string bash = "'" CUBCAL_PROGRAM "' completion bash | bash -c 'source /dev/stdin && ";
  const auto completes = [&](const std::string& words, int index, const std::string& expected) {
    const std::string check = bash + "COMP_WORDS=(" + words +
                              ") COMP_CWORD=" + std::to_string(index) +
                              " && _cubcal && [ \"${COMPREPLY[0]}\" = " + expected + " ]'";
    return std::system(check.c_str()) == 0;
  };
  EXPECT_TRUE(completes("cubcal da", 1, "data"));
  EXPECT_TRUE(completes("cubcal data spl", 2, "split"));
  EXPECT_TRUE(completes("cubcal data split", 2, "split"));
  EXPECT_TRUE(completes("cubcal data split x --hold", 4, "--hold-out"));
  EXPECT_TRUE(completes("cubcal evaluate --cal", 2, "--calibration"));
  const Outcome fish = run_cubcal({"completion", "fish"}, scratch_.path());
  EXPECT_NE(fish.out.find("'__fish_seen_subcommand_from data; and "
                          "__fish_seen_subcommand_from split' -l stratify-by"),
            std::string::npos);
}

}  // namespace
}  // namespace cubcal::test
