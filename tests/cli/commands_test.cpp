// The program as a user meets it: every subcommand in a second process.

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "cubcal/io/csv.h"
#include "cubcal/io/logits_file.h"
#include "cubcal/io/npz.h"
#include "cubcal/metrics/metric_values.h"

namespace cubcal::test {
namespace {

using Json = nlohmann::json;

class Commands : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    scratch = new ScratchFolder;
    const Outcome run = run_cubcal(
        {"example", "--out", "demo", "--samples", "400", "--passes", "10"}, scratch->path());
    ASSERT_EQ(run.exit_code, 0) << run.err;
  }
  static void TearDownTestSuite() { delete scratch; }

  static Outcome run(const std::vector<std::string>& arguments) {
    return run_cubcal(arguments, scratch->path());
  }
  static Json json_of(const std::vector<std::string>& arguments) {
    const Outcome result = run(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return Json::parse(result.out);
  }

  static ScratchFolder* scratch;
};

ScratchFolder* Commands::scratch = nullptr;

TEST_F(Commands, VersionAndHelp) {
  EXPECT_EQ(run({"--version"}).out.rfind("cubcal ", 0), 0U);
  const Outcome help = run({"--help"});
  EXPECT_EQ(help.exit_code, 0);
  for (const char* command :
       {"evaluate", "calibrate", "apply", "compare", "adaptive", "boundary"}) {
    EXPECT_NE(help.out.find(command), std::string::npos) << command;
    const Outcome own = run({command, "--help"});
    EXPECT_EQ(own.exit_code, 0);
    EXPECT_NE(own.out.find("Example"), std::string::npos) << command;
  }
}

/// Lines of a command's help after "Example", up to the end.
std::vector<std::string> example_lines(const std::string& help) {
  std::vector<std::string> lines;
  std::istringstream in(help.substr(help.find("Example")));
  std::string line;
  while (std::getline(in, line)) {
    if (line.rfind("  cubcal ", 0) == 0) lines.push_back(line.substr(2));
  }
  return lines;
}

TEST_F(Commands, TheExamplesOfTheHelpWork) {
  for (const char* command :
       {"evaluate", "calibrate", "apply", "compare", "adaptive", "boundary", "example"}) {
    const ScratchFolder folder;
    const std::vector<std::string> lines = example_lines(run({command, "--help"}).out);
    ASSERT_FALSE(lines.empty()) << command;
    for (std::string line : lines) {
      line.replace(0, 6, CUBCAL_PROGRAM);
      const std::size_t second = line.find("&& cubcal");
      if (second != std::string::npos) line.replace(second + 3, 6, CUBCAL_PROGRAM);
      const std::string shell =
          "cd " + folder.path().string() + " && (" + line + ") >/dev/null 2>&1";
      EXPECT_EQ(std::system(shell.c_str()), 0) << line;
    }
  }
}

TEST_F(Commands, AdaptiveTellsPassesAndChanges) {
  const Outcome text = run({"adaptive", "demo/test.npz", "--first", "4", "--block", "2"});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  for (const char* words : {"Mean passes", "of 10;", "accept/refer", "side of gamma",
                            "Promised: at most 0.50%", "Nothing here speaks against"}) {
    EXPECT_NE(text.out.find(words), std::string::npos) << words << " is not in " << text.out;
  }
  const Json json =
      json_of({"adaptive", "demo/test.npz", "--first", "4", "--block", "2", "--json", "-"});
  EXPECT_EQ(json["samples"], 400);
  EXPECT_EQ(json["passes"]["all"], 10);
  EXPECT_LT(json["passes"]["mean"], 10);
  EXPECT_EQ(json["changed"]["any"]["interval"].size(), 2U);
  EXPECT_EQ(json["options"]["gamma"], 0.9);
  EXPECT_EQ(json["promise_broken"], false);
  int samples = 0;
  double passes = 0;
  for (const Json& row : json["passes"]["histogram"]) {
    const int at = row["passes"];
    EXPECT_TRUE(at >= 4 && at <= 10 && at % 2 == 0) << at;
    samples += row["samples"].get<int>();
    passes += at * row["samples"].get<double>();
  }
  EXPECT_EQ(samples, 400);
  EXPECT_NEAR(passes / samples, json["passes"]["mean"].get<double>(), 1e-9);
}

TEST_F(Commands, AdaptiveWithoutErrorChangesNothing) {
  ASSERT_EQ(run({"calibrate", "demo/val.npz", "--method", "dts", "-o", "adaptive.json"}).exit_code,
            0);
  const Json json = json_of({"adaptive", "demo/test.npz", "--calibration", "adaptive.json",
                             "--error", "0", "--first", "2", "--block", "1", "--json", "-"});
  EXPECT_EQ(json["calibration"], "dts");
  EXPECT_EQ(json["changed"]["any"]["samples"], 0);
  EXPECT_LT(json["passes"]["mean"], 10) << "some are beyond doubt before the last pass";
}

TEST_F(Commands, AdaptiveSaysThatAPromiseIsBroken) {
  // Passes that are anything but alike: the first four are sure, the others sure of another class.
  NdArray logits(DType::kF32, {10, 50, 2});
  for (std::size_t s = 0; s < 10; ++s) {
    for (std::size_t i = 0; i < 50; ++i) {
      float* z = logits.as<float>() + (s * 50 + i) * 2;
      z[0] = s < 4 ? 5.0F : -5.0F;
      z[1] = 0;
    }
  }
  NpzWriter writer(scratch->file("drift.npz"));
  writer.add("logits", logits);
  writer.finish();
  const Outcome text = run({"adaptive", "drift.npz", "--first", "4"});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_NE(text.out.find("The promise is broken"), std::string::npos) << text.out;
}

TEST_F(Commands, AdaptiveWithoutGammaTakesFewerPasses) {
  const std::vector<std::string> base{"adaptive", "demo/test.npz", "--first", "2", "--block",
                                      "1",        "--json",        "-"};
  std::vector<std::string> without = base;
  without.push_back("--no-gamma");
  const Json two = json_of(without);
  EXPECT_LT(two["passes"]["mean"], json_of(base)["passes"]["mean"]);
  EXPECT_TRUE(two["options"]["gamma"].is_null());
  EXPECT_FALSE(two["changed"].contains("gamma"));
}

TEST_F(Commands, EvaluatePrintsATableAndJson) {
  const Outcome text = run({"evaluate", "demo/test.npz", "--bootstrap", "50"});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  for (const char* word : {"accuracy", "BCCE", "ΔU", "95% interval", "by group", "malignant"}) {
    EXPECT_NE(text.out.find(word), std::string::npos) << word;
  }
  const Json json = json_of({"evaluate", "demo/test.npz", "--json", "-"});
  EXPECT_EQ(json["metrics"].size(), kMetricCount);
  EXPECT_TRUE(json["intervals"].is_null());
  EXPECT_EQ(json["bins"]["bcce"].size(), 15U);
  EXPECT_EQ(json["per_class"].size(), 3U);
  EXPECT_EQ(json["convention"]["gamma"], 0.9);
  const auto& metrics = json["metrics"];
  EXPECT_EQ(metrics["n_ac"].get<int>() + metrics["n_au"].get<int>() + metrics["n_ic"].get<int>() +
                metrics["n_iu"].get<int>(),
            400);
}

TEST_F(Commands, EvaluateWritesTheSameJsonToAFile) {
  const Outcome to_file = run({"evaluate", "demo/test.npz", "--json", "out.json"});
  EXPECT_NE(to_file.out.find("accuracy"), std::string::npos);
  EXPECT_EQ(contents_of(scratch->path() / "out.json"),
            run({"evaluate", "demo/test.npz", "--json", "-"}).out);
}

TEST_F(Commands, EvaluateDoesNotDependOnThreads) {
  const std::vector<std::string> base{"evaluate", "demo/test.npz", "--bootstrap", "40", "--json",
                                      "-",        "--threads"};
  std::vector<std::string> one = base;
  std::vector<std::string> five = base;
  one.push_back("1");
  five.push_back("5");
  EXPECT_EQ(run(one).out, run(five).out);
}

TEST_F(Commands, EvaluateScoresOutOfDistribution) {
  const Json json = json_of({"evaluate", "demo/test.npz", "--ood", "demo/val.npz", "--json", "-"});
  // Two draws of one distribution cannot be told apart.
  EXPECT_NEAR(json["ood"]["uncertainty"]["auroc"].get<double>(), 0.5, 0.08);
}

TEST_F(Commands, ReferenceCaseEqualsItsJson) {
  const std::filesystem::path shared = std::filesystem::path(CUBCAL_SHARED_DIR) / "reference";
  if (!std::filesystem::exists(shared)) GTEST_SKIP() << "the shared reference cases are not here";
  for (const char* name : {"k3_basic", "k3_all_right", "k10_wide"}) {
    const Json actual =
        json_of({"evaluate", (shared / (std::string(name) + ".npz")).string(), "--json", "-"});
    const Json expected =
        Json::parse(contents_of(shared / (std::string(name) + ".json")))["metrics"];
    for (const auto& [key, value] : expected.items()) {
      if (value.is_null()) {
        EXPECT_TRUE(actual["metrics"][key].is_null()) << key;
      } else {
        EXPECT_NEAR(actual["metrics"][key].get<double>(), value.get<double>(),
                    1e-6 * std::abs(value.get<double>()))
            << key;
      }
    }
  }
}

TEST_F(Commands, CalibrateFitsEveryMethodAndApplyUsesIt) {
  for (const std::string method : {"ts-nll", "ts-bcce", "dts", "dts-guarded"}) {
    const std::string file = method + ".json";
    const Outcome fit = run(
        {"calibrate", "demo/val.npz", "--method", method, "-o", file, "--test", "demo/test.npz"});
    ASSERT_EQ(fit.exit_code, 0) << fit.err;
    EXPECT_NE(fit.out.find("test"), std::string::npos);
    EXPECT_NE(fit.out.find("predictions changed by averaging"), std::string::npos);
    const Json json = Json::parse(contents_of(scratch->path() / file));
    EXPECT_EQ(json["method"], method);
    EXPECT_LE(json["objective"]["after"].get<double>(), json["objective"]["before"].get<double>());
    const Outcome applied = run({"apply", "demo/test.npz", "--calibration", file, "-o", "p.npz"});
    ASSERT_EQ(applied.exit_code, 0) << applied.err;
    const NpzReader npz(scratch->file("p.npz"));
    const NdArray probabilities = npz.read("probabilities");
    ASSERT_EQ(probabilities.shape(), (std::vector<std::size_t>{400, 3}));
    const NdArray confidence = npz.read("confidence");
    for (std::size_t i = 0; i < 400; ++i) {
      const double* p = probabilities.as<double>() + 3 * i;
      EXPECT_NEAR(p[0] + p[1] + p[2], 1.0, 1e-12);
      EXPECT_EQ(std::max({p[0], p[1], p[2]}), confidence.as<double>()[i]);
    }
    EXPECT_EQ(npz.read_text("region").size(), 400U);
    // Evaluating through the calibration and evaluating what was applied is the same thing.
    const Json evaluated =
        json_of({"evaluate", "demo/test.npz", "--calibration", file, "--json", "-"});
    EXPECT_EQ(evaluated["calibration"]["method"], method);
  }
}

TEST_F(Commands, CalibrateWarnsOnBoundsAndTakesBoxes) {
  // The example is overconfident: its best temperature lies far above 1.1.
  const Outcome fit = run(
      {"calibrate", "demo/val.npz", "--method", "ts-nll", "-o", "narrow.json", "--t", "0.9:1.1"});
  ASSERT_EQ(fit.exit_code, 0) << fit.err;
  EXPECT_NE(fit.err.find("T = 1.1 lies on the upper bound of its box [0.9, 1.1]"),
            std::string::npos)
      << fit.err;
  const Json json = Json::parse(contents_of(scratch->path() / "narrow.json"));
  EXPECT_EQ(json["box"]["t"], (Json::array({0.9, 1.1})));
  const Outcome pair = run({"calibrate", "demo/val.npz", "--method", "dts", "-o", "pair.json",
                            "--t-high", "0.8:1", "--t-low", "1:1.3"});
  ASSERT_EQ(pair.exit_code, 0) << pair.err;
  const Json boxes = Json::parse(contents_of(scratch->path() / "pair.json"))["box"];
  EXPECT_EQ(boxes["t_high"], (Json::array({0.8, 1.0})));
  EXPECT_EQ(boxes["t_low"], (Json::array({1.0, 1.3})));
}

TEST_F(Commands, CalibrateSaysThatTwoClassesNeedNll) {
  NdArray logits(DType::kF32, {1, 40, 2});
  std::vector<std::int64_t> labels;
  for (std::size_t i = 0; i < 40; ++i) {
    logits.as<float>()[2 * i] = 0.2F * static_cast<float>(i);
    logits.as<float>()[2 * i + 1] = 3;
    labels.push_back(i % 3 == 0);
  }
  NpzWriter writer(scratch->file("k2.npz"));
  writer.add("logits", logits);
  writer.add("labels", ArrayView<const std::int64_t>(labels), {40});
  writer.finish();
  const Outcome fit = run({"calibrate", "k2.npz", "-o", "k2.json"});
  ASSERT_EQ(fit.exit_code, 0) << fit.err;
  EXPECT_EQ(fit.err,
            "cubcal: warning: with two classes BCCE is 0 whatever the temperature, so T stays 1: "
            "use --method ts-nll\n");
}

TEST_F(Commands, PaperThresholdsAreOneOptionAway) {
  ASSERT_EQ(run({"calibrate", "demo/val.npz", "--method", "dts", "--paper-thresholds", "-o",
                 "paper.json"})
                .exit_code,
            0);
  const Json json = Json::parse(contents_of(scratch->path() / "paper.json"));
  EXPECT_EQ(json["thresholds"]["gamma_low"], 0.9);
  EXPECT_EQ(json["thresholds"]["gamma_high"], 0.923);
}

TEST_F(Commands, ApplyWritesCsv) {
  ASSERT_EQ(run({"calibrate", "demo/val.npz", "-o", "cal.json"}).exit_code, 0);
  ASSERT_EQ(run({"apply", "demo/test.npz", "--calibration", "cal.json", "-o", "p.csv"}).exit_code,
            0);
  const CsvTable table = read_csv(scratch->file("p.csv"));
  EXPECT_EQ(table.rows.size(), 400U);
  EXPECT_TRUE(table.has_column("p malignant"));
  EXPECT_TRUE(table.has_column("epistemic"));
  EXPECT_FALSE(table.has_column("file")) << "these logits name no images";
}

TEST_F(Commands, ApplyPassesOnWhichImageASampleIs) {
  LogitsFile file = read_logits_file(scratch->file("demo/test.npz"));
  for (std::size_t i = 0; i < 400; ++i) file.files.push_back("scan" + std::to_string(i) + ".png");
  write_logits_file(scratch->file("named.npz"), file);
  ASSERT_EQ(run({"calibrate", "demo/val.npz", "-o", "cal.json"}).exit_code, 0);
  for (const char* output : {"n.csv", "n.npz"}) {
    ASSERT_EQ(run({"apply", "named.npz", "--calibration", "cal.json", "-o", output}).exit_code, 0);
  }
  const CsvTable table = read_csv(scratch->file("n.csv"));
  EXPECT_EQ(table.rows[7][table.column("file")], "scan7.png");
  EXPECT_EQ(NpzReader(scratch->file("n.npz")).read_text("files")[399], "scan399.png");
}

TEST_F(Commands, EveryTableNamesItsConvention) {
  const std::string words = "BCCE with γ = 0.9; AvU with u_th = 0.2";
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"evaluate", "demo/val.npz"},
        {"calibrate", "demo/val.npz", "-o", "c2.json"},
        {"compare", "demo/val.npz", "demo/val.npz", "--bootstrap", "20"}}) {
    std::vector<std::string> arguments = command;
    arguments.insert(arguments.end(), {"--eta", "0.2"});
    const Outcome outcome = run(arguments);
    EXPECT_NE(outcome.out.find(words), std::string::npos)
        << command[0] << outcome.out << outcome.err;
  }
}

TEST_F(Commands, CompareFindsNoDifferenceBetweenEquals) {
  const Json json =
      json_of({"compare", "demo/test.npz", "demo/test.npz", "--bootstrap", "30", "--json", "-"});
  for (const auto& [key, value] : json["difference"].items()) EXPECT_EQ(value, 0) << key;
  for (const auto& [key, value] : json["intervals"].items()) {
    EXPECT_EQ(value, Json::array({0.0, 0.0})) << key;
  }
}

TEST_F(Commands, CompareSeesACalibration) {
  ASSERT_EQ(run({"calibrate", "demo/val.npz", "--method", "dts", "-o", "dts.json"}).exit_code, 0);
  const Outcome text = run({"compare", "demo/test.npz", "demo/test.npz", "--calibration-b",
                            "dts.json", "--bootstrap", "100"});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_NE(text.out.find("B better"), std::string::npos) << text.out;
}

TEST_F(Commands, BoundaryPrintsThresholdsAndDraws) {
  const Outcome text = run({"boundary", "--classes", "5", "--svg", "curve.svg"});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_NE(text.out.find("0.936382"), std::string::npos) << text.out;
  EXPECT_EQ(contents_of(scratch->path() / "curve.svg").rfind("<svg", 0), 0U);
  const Outcome gamma = run({"boundary", "--classes", "3", "--gamma", "0.8"});
  EXPECT_NE(gamma.out.find("0.500402"), std::string::npos) << gamma.out;  // h(0.8)
}

TEST_F(Commands, CompletionNamesCommandsAndFlags) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const Outcome script = run({"completion", shell});
    EXPECT_EQ(script.exit_code, 0);
    EXPECT_NE(script.out.find("calibrate"), std::string::npos);
    EXPECT_NE(script.out.find("paper-thresholds"), std::string::npos);
  }
  const std::string check = std::string(CUBCAL_PROGRAM) +
                            " completion bash | bash -c 'source /dev/stdin && COMP_WORDS=(cubcal "
                            "evaluate --cal) COMP_CWORD=2 && _cubcal && [ \"${COMPREPLY[0]}\" = "
                            "--calibration ]'";
  EXPECT_EQ(std::system(check.c_str()), 0);
}

}  // namespace
}  // namespace cubcal::test
