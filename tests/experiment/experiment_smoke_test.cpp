#include <gtest/gtest.h>
#include <sys/resource.h>

#include "cli/program.h"

/// Each experiment of the paper from one command, on a sample of its real data.
namespace cubcal::test {
namespace {

struct Smoke {
  const char* name;
  const char* pack;
  std::vector<const char*> words;  ///< of the tables
};

void PrintTo(const Smoke& smoke, std::ostream* out) { *out << smoke.name; }

/// Seconds of processor that finished child processes took: what a busy machine takes away from a
/// test does not count.
double processor_seconds() {
  struct rusage usage {};
  ::getrusage(RUSAGE_CHILDREN, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

class ExperimentSmoke : public testing::TestWithParam<Smoke> {};

TEST_P(ExperimentSmoke, RunsWholeInFiveMinutesOfTwoProcessors) {
  const std::string data = std::string(CUBCAL_SHARED_DIR) + "/data/" + GetParam().pack;
  if (!std::filesystem::exists(data)) GTEST_SKIP() << "there is no " << data;
  const ScratchFolder folder;
  const std::string recipe = std::string(CUBCAL_RECIPES) + "/" + GetParam().name + ".toml";
  const double before = processor_seconds();
  const Outcome outcome = run_cubcal(
      {"experiment", recipe, "--data", data, "--out", "runs", "--smoke", "--threads", "1"},
      folder.path());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_LT(processor_seconds() - before, 2 * 300);
  const std::string page = contents_of(folder.path() / "runs/results.md");
  for (const char* words : GetParam().words) {
    EXPECT_NE(page.find(words), std::string::npos) << words << '\n' << page;
  }
  EXPECT_GT(contents_of(folder.path() / "runs/report.html").size(), 100000U);
}

INSTANTIATE_TEST_SUITE_P(
    Packs, ExperimentSmoke,
    testing::Values(Smoke{"chest",
                          "chest",
                          {"| MC dropout | ", "| BNN + AvUC | ", "| dts-guarded | ",
                           "| Relative Mahalanobis (multi-layer) | ", "| kNN | "}},
                    Smoke{"retina",
                          "aptos",
                          {"| Reduced train/val (25%) | ", "| Balanced (train/val) | ",
                           "BNN + CUB: U incorrect"}},
                    Smoke{"skin", "ham10000", {"| BACC % | ", "| BNN + CUB | "}}),
    [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace cubcal::test
