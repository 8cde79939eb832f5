#include "cubcal/report/run_sources.h"

#include <gtest/gtest.h>

#include "cli/program.h"
#include "cubcal/core/error.h"
#include "expect_error.h"
#include "report/example_run.h"

namespace cubcal::report {
namespace {

class RunSources : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return scratch_.file(name); }
  test::ScratchFolder scratch_;
  ReportOptions options_;
};

TEST_F(RunSources, FoldersAndFilesWithOrWithoutLabels) {
  write_example_run(path("a=b"), "bnn", 1);
  write_logits_file(path("x.npz"), example_logits(1));
  options_.runs = {"CUB=" + path("a=b"), path("a=b"), "X=" + path("x.npz"), path("x.npz")};
  const std::vector<RunSource> sources = run_sources(options_);
  ASSERT_EQ(sources.size(), 4U);
  EXPECT_TRUE(sources[0].is_folder);
  EXPECT_EQ(sources[0].label, "CUB");
  EXPECT_EQ(sources[1].label, "");
  EXPECT_EQ(sources[1].path, path("a=b"));
  EXPECT_FALSE(sources[2].is_folder);
  EXPECT_EQ(sources[2].label, "X");
  EXPECT_EQ(read_source(sources[0], options_).label, "CUB");
  EXPECT_EQ(read_source(sources[1], options_).label, "bnn");
  EXPECT_EQ(read_source(sources[3], options_).label, "x");
}

TEST_F(RunSources, FilesFindTheirSet) {
  options_.runs = {"A=a.npz", "folder", "b.npz", "A=a2.npz"};
  options_.validation = {"b=bv.npz", "A=av.npz", "A=av2.npz"};
  options_.outliers = {"b=bo.npz"};
  options_.calibration = {"b=c.json"};
  const std::vector<RunSource> sources = run_sources(options_);
  EXPECT_EQ(sources[0].validation, "av.npz");
  EXPECT_EQ(sources[2].validation, "bv.npz");
  EXPECT_EQ(sources[3].validation, "av2.npz") << "the second of that label";
  EXPECT_EQ(sources[2].outliers, "bo.npz");
  EXPECT_EQ(sources[0].outliers, "");
  EXPECT_EQ(sources[2].calibration, "c.json");
  EXPECT_EQ(sources[0].calibration, "");
  options_.calibration = {"all.json"};
  for (const RunSource& each : run_sources(options_)) EXPECT_EQ(each.calibration, "all.json");
}

TEST_F(RunSources, RefusesFilesOfNobody) {
  options_.runs = {"A=a.npz", "B=b.npz"};
  options_.validation = {"v.npz"};
  test::expect_error<ArgumentError>([&] { run_sources(options_); },
                                    "'v.npz', validation logits, must say which of 'A', 'B'");
  options_.validation = {"C=v.npz"};
  test::expect_error<ArgumentError>([&] { run_sources(options_); },
                                    "finds no set 'C' that has none yet: there is 'A', 'B'");
  options_.validation = {"A=v.npz", "A=w.npz"};
  test::expect_error<ArgumentError>([&] { run_sources(options_); }, "'w.npz'");
  options_.validation.clear();
  options_.calibration = {"c.json", "d.json"};
  test::expect_error<ArgumentError>([&] { run_sources(options_); }, "each must say whose it is");
}

TEST_F(RunSources, SamplesAreBroughtIntoOneOrderByTheirFiles) {
  LogitsFile first = example_logits(1, 4);
  first.files = {"a", "b", "c", "d"};
  RunInput other;
  other.test.logits = example_logits(2, 4);
  other.test.logits.files = {"d", "b", "a", "c"};
  const std::vector<std::int64_t> labels = other.test.logits.labels;
  align_samples(other, first);
  EXPECT_FALSE(other.other_images);
  EXPECT_EQ(other.test.logits.files, first.files);
  EXPECT_EQ(other.test.logits.labels,
            (std::vector<std::int64_t>{labels[2], labels[1], labels[3], labels[0]}));
  other.test.logits.files[3] = "e";
  align_samples(other, first);
  EXPECT_TRUE(other.other_images);
  RunInput unnamed;
  unnamed.test.logits = example_logits(2, 4);
  align_samples(unnamed, first);
  EXPECT_FALSE(unnamed.other_images) << "by their order, as far as labels agree";
}

}  // namespace
}  // namespace cubcal::report
