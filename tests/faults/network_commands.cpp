#include "faults/network_commands.h"

#include <gtest/gtest.h>

#include "cubcal/io/atomic_file.h"

namespace cubcal::test {

namespace {

namespace fs = std::filesystem;

constexpr const char* kRecipe = R"(
[data.phantom]
train = 60
val = 24
test = 24
ood = 12
image_size = 16
[stage1]
epochs = 2
[stage2]
method = "bnn"
kl_reduction = "mean"
epochs = 2
passes = 2
[validation]
passes = 2
[output]
checkpoint_every_steps = 1
[experiment]
methods = ["bnn"]
passes = 2
seeds = 1
)";

std::vector<std::string> fitting(const std::string& model) {
  return {"ood", "--model",     model, "--data",      "phantom",     "--mc",
          "2",   "--bootstrap", "20",  "--detectors", "mahalanobis", "--fit"};
}

std::vector<std::string> deploying(const std::string& model, const std::string& risk_target) {
  return {"deploy",      "run", "-o",       model, "--name",        "Small",
          "--mc",        "2",   "--alpha",  "0.2", "--risk-target", risk_target,
          "--bootstrap", "20",  "--probes", "warn"};
}

}  // namespace

const std::vector<NetworkCommand>& network_commands() {
  static const std::vector<NetworkCommand> commands = {
      {"Train", {"train", "small.toml", "--out", "out", "--resume"}, "record.json", "", "verdict"},
      {"Experiment",
       {"experiment", "small.toml", "--out", "out", "--bootstrap", "20"},
       "report.html"},
      {"Logits",
       {"logits", "--model", "run/last", "--data", "phantom", "--split", "val", "--mc", "2", "-o",
        "out/val.npz"},
       "val.npz",
       "drawn"},
      {"Verdict", fitting("out"), "ood.safetensors", "fitted", "by combined"},
      {"Attach",
       {"attach", "cal.json", "--model", "out"},
       "model.json",
       "calibrated",
       "Calibrated with ts-nll"},
      {"Import",
       {"import", "run/stage1/best/weights.safetensors", "--network", "small-resnet", "--classes",
        "4", "--size", "16", "-o", "out", "--force"},
       "weights.safetensors",
       "imported",
       "verdict"},
      {"Deploy", deploying("out", "0.9"), "report.html", "deployed", "verdict"}};
  return commands;
}

void make_networks(const fs::path& folder) {
  write_file_atomically((folder / "small.toml").string(), kRecipe);
  const auto run = [&](const std::vector<std::string>& arguments) { run_well(arguments, folder); };
  run({"example", "--out", ".", "--images"});
  run({"train", "small.toml", "--out", "run"});
  run({"logits", "--model", "run/last", "--data", "phantom", "--split", "val", "--mc", "2", "-o",
       "val.npz"});
  run({"calibrate", "val.npz", "--method", "ts-nll", "-o", "cal.json"});
  fs::create_directory(folder / "drawn");
  fs::copy(folder / "val.npz", folder / "drawn");
  fs::copy(folder / "run" / "last", folder / "fitted");
  run(fitting("fitted"));
  fs::copy(folder / "run" / "last", folder / "calibrated");
  run({"attach", "cal.json", "--model", "calibrated"});
  fs::copy(folder / "run" / "last", folder / "imported");
  run(deploying("deployed", "0.8"));
}

void reset_out(const fs::path& folder, const NetworkCommand& command) {
  for (const char* each : {"out", "out.deploying", "out.replaced"}) fs::remove_all(folder / each);
  if (!command.earlier.empty()) {
    fs::copy(folder / command.earlier, folder / "out", fs::copy_options::recursive);
  }
}

Outcome run_well(const std::vector<std::string>& arguments, const fs::path& folder) {
  const Outcome outcome = run_cubcal(arguments, folder);
  EXPECT_EQ(outcome.exit_code, 0) << arguments.front() << ": " << outcome.err;
  return outcome;
}

void expect_it_answers(const fs::path& folder, const NetworkCommand& command,
                       const std::string& after) {
  if (command.words.empty()) return;
  const Outcome answer =
      run_cubcal({"predict", "--model", "out", "images/image-0.png", "--mc", "2"}, folder);
  EXPECT_EQ(answer.exit_code, 0) << after << ": " << answer.err;
  EXPECT_NE(answer.out.find(command.words), std::string::npos) << after << ": " << answer.out;
}

}  // namespace cubcal::test
