// The program as a user meets it: every subcommand in a second process.

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/demo_logits.h"
#include "cli/program.h"
#include "cubcal/io/csv.h"
#include "cubcal/io/logits_file.h"
#include "cubcal/io/logits_rows.h"
#include "cubcal/io/npz.h"
#include "cubcal/metrics/metric_values.h"
#include "cubcal/uncertainty/predictive.h"

namespace cubcal::test {
namespace {

using Json = nlohmann::json;

class Commands : public DemoLogits {};

TEST_F(Commands, VersionAndHelp) {
  EXPECT_EQ(run({"--version"}).out.rfind("cubcal ", 0), 0U);
  const Outcome help = run({"--help"});
  EXPECT_EQ(help.exit_code, 0);
  for (const char* command : {"evaluate", "calibrate", "apply", "compare", "conformal", "benefit",
                              "prevalence", "adaptive", "boundary"}) {
    EXPECT_NE(help.out.find(command), std::string::npos) << command;
    const Outcome own = run({command, "--help"});
    EXPECT_EQ(own.exit_code, 0);
    EXPECT_NE(own.out.find("Example"), std::string::npos) << command;
  }
}

TEST_F(Commands, HelpIsACommandToo) {
  EXPECT_EQ(run({"help"}).out, run({"--help"}).out);
  const Outcome help = run({"help", "evaluate"});
  EXPECT_EQ(help.exit_code, 0) << help.err;
  EXPECT_EQ(help.out, run({"evaluate", "--help"}).out);
  EXPECT_EQ(run({"help", "data", "split"}).out, run({"data", "split", "--help"}).out);
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
  for (const char* command : {"evaluate", "calibrate", "apply", "compare", "conformal", "benefit",
                              "prevalence", "adaptive", "boundary", "example"}) {
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

TEST_F(Commands, OutliersMayHaveLabelsThatAreNoClass) {
  LogitsFile file = read_logits_file(scratch->file("demo/val.npz"));
  file.labels.assign(file.labels.size(), -1);
  write_logits_file(scratch->file("no_class.npz"), file);
  const std::vector<std::string> plain{"evaluate",     "demo/test.npz", "--ood",
                                       "demo/val.npz", "--json",        "-"};
  std::vector<std::string> with = plain;
  with[3] = "no_class.npz";
  EXPECT_EQ(json_of(with)["ood"], json_of(plain)["ood"]);
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
    const std::vector<std::string> regions = npz.read_text("region");
    ASSERT_EQ(regions.size(), 400U);
    const bool is_of_one = std::string(method).rfind("ts-", 0) == 0;
    for (const std::string& region : regions) {
      EXPECT_EQ(region.empty(), is_of_one) << region << " by " << method;
    }
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
  const Outcome fit = run({"calibrate", "k2.npz", "--method", "dts-guarded", "-o", "k2.json"});
  ASSERT_EQ(fit.exit_code, 0) << fit.err;
  EXPECT_EQ(fit.err,
            "cubcal: warning: with two classes BCCE is 0 whatever the temperature, so T stays 1: "
            "use ts-nll\n");
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
  ASSERT_EQ(run({"calibrate", "demo/val.npz", "--method", "dts", "-o", "cal.json"}).exit_code, 0);
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
  ASSERT_EQ(run({"calibrate", "demo/val.npz", "--method", "dts", "-o", "cal.json"}).exit_code, 0);
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

// Another model that lists the same images in another order.
TEST_F(Commands, CompareMatchesSamplesByTheirFiles) {
  LogitsFile a = read_logits_file(scratch->file("demo/test.npz"));
  for (std::size_t i = 0; i < 400; ++i) a.files.push_back("scan" + std::to_string(i) + ".png");
  LogitsFile b = read_logits_file(scratch->file("demo/test.npz"));
  b.files = a.files;
  for (std::size_t j = 0; j < b.logits.size(); ++j) b.logits.as<float>()[j] *= 0.7F;
  write_logits_file(scratch->file("a.npz"), a);
  write_logits_file(scratch->file("b.npz"), b);
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < 400; ++i) rows.push_back((7 * i + 3) % 400);
  write_logits_file(scratch->file("b2.npz"), take_samples(b, rows));
  const auto compared = [&](const std::string& other) {
    return json_of({"compare", "a.npz", other, "--bootstrap", "50", "--json", "-"});
  };
  const Json straight = compared("b.npz");
  EXPECT_EQ(straight["matched_by"], "files");
  EXPECT_EQ(compared("b2.npz"), straight);
  EXPECT_EQ(json_of({"compare", "demo/test.npz", "b.npz", "--bootstrap", "20", "--json",
                     "-"})["matched_by"],
            "order");
}

// Whatever goes another way round to the prediction, its rows are those that were given.
TEST_F(Commands, ProbabilitiesCountAsTheyAre) {
  LogitsFile file = read_logits_file(scratch->file("demo/test.npz"));
  file.logits = NdArray(DType::kF64, {1, 400, 3});
  std::vector<std::size_t> backwards;
  for (std::size_t i = 0; i < 400; ++i) {
    const double p = static_cast<double>(i) / 399;  // 0 and 1 among them
    double* row = file.logits.as<double>() + 3 * i;
    row[0] = 1 - p;
    row[1] = p / 4;
    row[2] = 3 * p / 4;
    file.files.push_back("scan" + std::to_string(i) + ".png");
    backwards.push_back(399 - i);
  }
  write_logits_file(scratch->file("p.npz"), file);
  write_logits_file(scratch->file("backwards.npz"), take_samples(file, backwards));
  ASSERT_EQ(run({"apply", "p.npz", "--probabilities", "-o", "applied.npz"}).exit_code, 0);
  const NdArray applied = NpzReader(scratch->file("applied.npz")).read("probabilities");
  for (std::size_t j = 0; j < 1200; ++j) {
    EXPECT_EQ(applied.as<double>()[j], file.logits.as<double>()[j]) << j;
  }
  const Json evaluated = json_of({"evaluate", "p.npz", "--probabilities", "--json", "-"});
  const Json compared = json_of(
      {"compare", "p.npz", "backwards.npz", "--probabilities", "--bootstrap", "20", "--json", "-"});
  EXPECT_EQ(compared["matched_by"], "files");
  EXPECT_EQ(compared["a"], evaluated["metrics"]);
  EXPECT_EQ(compared["b"], evaluated["metrics"]);
  const Json again = json_of({"evaluate", "applied.npz", "--probabilities", "--logits-key",
                              "probabilities", "--json", "-"});
  EXPECT_EQ(again["metrics"], evaluated["metrics"]);
}

// The same predictions, given as they are or as logits.
TEST_F(Commands, ProbabilitiesGiveTheSameNumbersAsTheirLogarithms) {
  const LogitsFile file = read_logits_file(scratch->file("demo/test.npz"));
  LogitsFile probabilities = read_logits_file(scratch->file("demo/test.npz"));
  probabilities.logits = NdArray(DType::kF64, {10, 400, 3});
  for (std::size_t row = 0; row < 4000; ++row) {
    const float* z = file.logits.as<float>() + 3 * row;
    double sum = 0;
    for (int k = 0; k < 3; ++k) sum += std::exp(z[k]);
    for (int k = 0; k < 3; ++k) {
      probabilities.logits.as<double>()[3 * row + static_cast<std::size_t>(k)] =
          std::exp(z[k]) / sum;
    }
  }
  write_logits_file(scratch->file("p.npz"), probabilities);
  const Json expected = json_of({"evaluate", "demo/test.npz", "--json", "-"})["metrics"];
  const Json actual = json_of({"evaluate", "p.npz", "--probabilities", "--json", "-"})["metrics"];
  for (const auto& [key, value] : expected.items()) {
    EXPECT_NEAR(actual[key].get<double>(), value.get<double>(), 1e-5) << key;
  }
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"calibrate", "p.npz", "--method", "ts-nll", "--test", "p.npz",
                                 "-o", "p.json", "--probabilities"},
        {"apply", "p.npz", "--probabilities", "--calibration", "p.json", "-o", "applied.npz"},
        {"compare", "p.npz", "p.npz", "--probabilities", "--bootstrap", "20"}}) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  }
}

TEST_F(Commands, SigmoidOutputsOfSeveralClassesAreRescaledAndTold) {
  LogitsFile file = read_logits_file(scratch->file("demo/test.npz"));
  for (std::size_t j = 0; j < file.logits.size(); ++j) {
    float& z = file.logits.as<float>()[j];
    z = 1 / (1 + std::exp(-z));
  }
  write_logits_file(scratch->file("sigmoid.npz"), file);
  const Outcome outcome = run({"evaluate", "sigmoid.npz", "--probabilities"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("rows of 'sigmoid.npz' do not sum to 1; each was divided by its sum"),
            std::string::npos)
      << outcome.err;
}

TEST_F(Commands, OneNumberForTwoClasses) {
  const std::size_t samples = 30;
  NdArray both(DType::kF64, {4, samples, 2});
  NdArray single(DType::kF64, {4, samples});
  NdArray sigmoid(DType::kF64, {4, samples});
  std::vector<std::int64_t> labels;
  for (std::size_t i = 0; i < samples; ++i) labels.push_back(i % 3 == 0);
  for (std::size_t j = 0; j < 4 * samples; ++j) {
    const double z = 4 * std::sin(static_cast<double>(j));
    both.as<double>()[2 * j] = 0.5;
    both.as<double>()[2 * j + 1] = 0.5 + z;
    single.as<double>()[j] = z;
    sigmoid.as<double>()[j] = 1 / (1 + std::exp(-z));
  }
  const auto write = [&](const std::string& name, const std::string& key, const NdArray& array) {
    NpzWriter npz(scratch->file(name));
    npz.add(key, array);
    npz.add("y", ArrayView<const std::int64_t>(labels), {samples});
    npz.finish();
  };
  write("both.npz", "z", both);
  write("single.npz", "z", single);
  write("sig.npz", "z", sigmoid);
  const auto metrics = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"evaluate"});
    arguments.insert(arguments.end(), {"--logits-key", "z", "--labels-key", "y", "--json", "-"});
    return json_of(arguments)["metrics"];
  };
  const Json expected = metrics({"both.npz"});
  for (const Json& actual :
       {metrics({"single.npz", "--binary"}), metrics({"sig.npz", "--binary", "--probabilities"})}) {
    for (const auto& [key, value] : expected.items()) {
      EXPECT_NEAR(actual[key].get<double>(), value.get<double>(), 1e-9) << key;
    }
  }
  EXPECT_NE(run({"evaluate", "sig.npz", "--binary", "--logits-key", "z", "--labels-key", "y"})
                .err.find("look like sigmoid outputs"),
            std::string::npos);
}

TEST_F(Commands, LabelsOfAnotherFileAndLabelsToLeaveOut) {
  const LogitsFile file = read_logits_file(scratch->file("demo/test.npz"));
  write_npy(scratch->file("z.npy"), file.logits);
  CsvTable table;
  table.header = {"image", "label"};
  for (std::size_t i = 0; i < 400; ++i) {
    table.rows.push_back({std::to_string(i), std::to_string(file.labels[i])});
  }
  write_csv(scratch->file("labels.csv"), table);
  NdArray array(DType::kI64, {400});
  std::copy(file.labels.begin(), file.labels.end(), array.as<std::int64_t>());
  write_npy(scratch->file("labels.npy"), array);
  const Json expected = json_of({"evaluate", "demo/test.npz", "--json", "-"})["metrics"];
  for (const std::string labels : {"labels.csv", "labels.npy", "demo/test.npz"}) {
    EXPECT_EQ(json_of({"evaluate", "z.npy", "--labels", labels, "--json", "-"})["metrics"],
              expected)
        << labels;
  }
  // Samples that nobody labelled.
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < 400; ++i) {
    if (i % 5 == 0) {
      table.rows[i][1] = "-1";
    } else {
      rows.push_back(i);
    }
  }
  write_csv(scratch->file("labels.csv"), table);
  write_logits_file(scratch->file("kept.npz"), take_samples(file, rows));
  EXPECT_EQ(json_of({"evaluate", "z.npy", "--labels", "labels.csv", "--ignore-label", "-1",
                     "--json", "-"})["metrics"],
            json_of({"evaluate", "kept.npz", "--json", "-"})["metrics"]);
}

TEST_F(Commands, LabelsMayBeNamesOfClasses) {
  const LogitsFile file = read_logits_file(scratch->file("demo/test.npz"));
  std::vector<std::string> names;
  for (const std::int64_t label : file.labels) {
    names.push_back(file.class_names[static_cast<std::size_t>(label)]);
  }
  NpzWriter npz(scratch->file("names.npz"));
  npz.add("logits", file.logits);
  npz.add_text("labels", names);
  npz.add_text("class_names", file.class_names);
  npz.finish();
  EXPECT_EQ(json_of({"evaluate", "names.npz", "--json", "-"})["metrics"],
            json_of({"evaluate", "demo/test.npz", "--json", "-"})["metrics"]);
}

// Without --method every method is tried on held-out samples and the one to use saved.
TEST_F(Commands, CalibrateChoosesWhatHelps) {
  ASSERT_EQ(run({"example", "--out", "more", "--passes", "10"}).exit_code, 0);
  const Outcome fit =
      run({"calibrate", "more/val.npz", "-o", "best.json", "--test", "more/test.npz"});
  ASSERT_EQ(fit.exit_code, 0) << fit.err;
  EXPECT_EQ(fit.err, "");
  for (const char* words : {"Held-out validation samples (1500 samples, 5 folds of whole groups)",
                            "Test samples", "ts-bcce", "dts-guarded",
                            "Chosen: ts-nll, of the lowest NLL among the methods that "
                            "significantly worsen none of the 6",
                            "AURC is of the one fit", "wrote best.json"}) {
    EXPECT_NE(fit.out.find(words), std::string::npos) << words << " is not in " << fit.out;
  }
  EXPECT_EQ(Json::parse(contents_of(scratch->path() / "best.json"))["method"], "ts-nll");
  const Outcome to_stdout = run({"calibrate", "more/val.npz", "-o", "-"});
  EXPECT_EQ(Json::parse(to_stdout.out)["method"], "ts-nll");
  EXPECT_NE(to_stdout.err.find("Chosen: ts-nll"), std::string::npos);
}

/// Labels are what is predicted: any softening, asked for by other samples, costs likelihood.
void write_all_right(const std::string& from, const std::string& to) {
  LogitsFile file = read_logits_file(from);
  const Predictive predictive = predict(McLogits(file.logits));
  for (std::size_t i = 0; i < file.labels.size(); ++i) {
    file.labels[i] = static_cast<std::int64_t>(predictive.predicted[i]);
  }
  write_logits_file(to, file);
}

TEST_F(Commands, CalibrateSaysWhatBecameWorseAndByHowMuch) {
  ASSERT_EQ(run({"example", "--out", "larger", "--passes", "10"}).exit_code, 0);
  write_all_right(scratch->file("larger/test.npz"), scratch->file("larger_right.npz"));
  const Outcome fit =
      run({"calibrate", "larger/val.npz", "-o", "worse.json", "--test", "larger_right.npz"});
  ASSERT_EQ(fit.exit_code, 0) << fit.err;
  for (const char* words :
       {"\nOf what is not judged it worsens UCE, BCCE, AvU",
        "\nOn the test samples it makes worse, all the same: NLL (nats) 0.1299 → 0.1988 (+53.0%), "
        "Brier "}) {
    EXPECT_NE(fit.out.find(words), std::string::npos) << words << " is not in " << fit.out;
  }
}

TEST_F(Commands, CalibrateSaysWhereTheGuardDidNotHold) {
  write_all_right(scratch->file("demo/test.npz"), scratch->file("all_right.npz"));
  const auto guarded = [&](const char* test) {
    return run({"calibrate", "demo/val.npz", "--method", "dts-guarded", "--nll-tolerance", "0.3",
                "-o", "g.json", "--test", test})
        .out;
  };
  EXPECT_EQ(guarded("demo/val.npz").find("The guard did not hold"), std::string::npos);
  const std::string broken = guarded("all_right.npz");
  EXPECT_NE(broken.find("The guard did not hold on the test samples: NLL rises by 145.9%, where "
                        "30% were allowed"),
            std::string::npos)
      << broken;
}

TEST_F(Commands, CalibrateSavesNothingWhereNothingHelps) {
  // Labels drawn from the prediction itself: it is calibrated as it is.
  LogitsFile file = read_logits_file(scratch->file("demo/val.npz"));
  for (std::size_t j = 0; j < file.logits.size(); ++j) file.logits.as<float>()[j] *= 0.4F;
  const Predictive truth = predict(McLogits(file.logits));
  for (std::size_t i = 0; i < 400; ++i) {
    double u = std::fmod(0.37 + 0.6180339887 * static_cast<double>(i), 1.0);
    std::size_t label = 0;
    while (label < 2 && u >= truth.probabilities[3 * i + label]) {
      u -= truth.probabilities[3 * i + label++];
    }
    file.labels[i] = static_cast<std::int64_t>(label);
  }
  write_logits_file(scratch->file("calibrated.npz"), file);
  const Outcome fit = run({"calibrate", "calibrated.npz", "-o", "none.json"});
  EXPECT_EQ(fit.exit_code, 0) << fit.err;
  EXPECT_NE(fit.out.find("leave these logits as they are"), std::string::npos) << fit.out;
  EXPECT_NE(fit.out.find("Nothing was written"), std::string::npos) << fit.out;
  EXPECT_FALSE(std::filesystem::exists(scratch->path() / "none.json"));
}

TEST_F(Commands, ApplyWithoutACalibrationWritesPlainPredictions) {
  ASSERT_EQ(run({"apply", "demo/test.npz", "-o", "plain.npz"}).exit_code, 0);
  const NpzReader npz(scratch->file("plain.npz"));
  EXPECT_FALSE(npz.has("temperature"));
  const Predictive expected =
      predict(McLogits(read_logits_file(scratch->file("demo/test.npz")).logits));
  const NdArray probabilities = npz.read("probabilities");
  for (std::size_t j = 0; j < expected.probabilities.size(); ++j) {
    EXPECT_EQ(probabilities.as<double>()[j], expected.probabilities[j]);
  }
  ASSERT_EQ(run({"apply", "demo/test.npz", "-o", "plain.csv"}).exit_code, 0);
  EXPECT_FALSE(read_csv(scratch->file("plain.csv")).has_column("region"));
}

TEST_F(Commands, CalibrateWritesToStandardOutput) {
  const Outcome fit =
      run({"calibrate", "demo/val.npz", "--method", "dts", "-o", "-", "--test", "demo/test.npz"});
  ASSERT_EQ(fit.exit_code, 0) << fit.err;
  EXPECT_EQ(Json::parse(fit.out)["method"], "dts");
  EXPECT_FALSE(std::filesystem::exists(scratch->path() / "-"));
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

/// What bash offers for the last of the words, one to a line.
std::string completed(const std::string& words, int place) {
  const std::string command = std::string(CUBCAL_PROGRAM) +
                              " completion bash | bash -c 'source /dev/stdin; COMP_WORDS=(" +
                              words + "); COMP_CWORD=" + std::to_string(place) +
                              "; _cubcal; printf \"%s \" \"${COMPREPLY[@]}\"' 2>&1";
  FILE* pipe = ::popen(command.c_str(), "r");
  std::string text;
  for (int letter = std::fgetc(pipe); letter != EOF; letter = std::fgetc(pipe)) {
    text += static_cast<char>(letter);
  }
  EXPECT_EQ(::pclose(pipe), 0);
  return text;
}

TEST_F(Commands, CompletionKnowsTheValuesOfOptions) {
  EXPECT_EQ(completed("cubcal calibrate --method \"\"", 3), "ts-nll ts-bcce dts dts-guarded ");
  EXPECT_EQ(completed("cubcal calibrate val.npz --method dts-", 4), "dts-guarded ");
  EXPECT_EQ(completed("cubcal calibrate --method = ts-b", 4), "ts-bcce ");
  EXPECT_EQ(completed("cubcal calibrate --method =", 3), "ts-nll ts-bcce dts dts-guarded ");
  EXPECT_EQ(completed("cubcal conformal --score r", 3), "raps ");
  EXPECT_EQ(completed("cubcal data pack --fit \"\"", 4), "stretch crop ");
  EXPECT_EQ(completed("cubcal completion f", 2).find("fish "), 0U);
}

TEST_F(Commands, ShellsTakeTheCompletionScripts) {
  const std::string program = CUBCAL_PROGRAM;
  for (const std::string shell : {"bash", "zsh", "fish"}) {
    const std::string known = "command -v " + shell + " > /dev/null";
    if (std::system(known.c_str()) != 0) continue;
    const std::string check =
        program + " completion " + shell + " > script && " + shell + " -n script" +
        (shell == "fish" ? " && fish -c 'source script; complete "
                           "-C \"cubcal calibrate --method dts-\"' | grep -q guarded"
                         : "");
    EXPECT_EQ(std::system(("cd '" + scratch->path().string() + "' && " + check).c_str()), 0)
        << shell;
  }
}

TEST_F(Commands, TheManualHasAPageForEveryCommandAndGroffTakesIt) {
  const Outcome outcome = run({"manual", "-o", "man"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const std::string page = contents_of(scratch->path() / "man/cubcal-calibrate.1");
  EXPECT_NE(page.find("\\fB\\-\\-method\\fR ts\\-nll|\\:ts\\-bcce"), std::string::npos) << page;
  EXPECT_NE(page.find(".SH EXAMPLES"), std::string::npos);
  EXPECT_NE(contents_of(scratch->path() / "man/cubcal.1").find("cubcal\\-data\\-split (1)"),
            std::string::npos);
  if (std::system("command -v groff > /dev/null") != 0) GTEST_SKIP() << "there is no groff";
  const std::string check =
      "cd '" + scratch->path().string() +
      "/man' && groff -Kutf8 -man -Tutf8 -ww *.1 2>&1 > /dev/null | grep . ; test $? = 1";
  EXPECT_EQ(std::system(check.c_str()), 0);
}

}  // namespace
}  // namespace cubcal::test
