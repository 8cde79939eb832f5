// TorchScript as a user meets it: the program in a second process, on files that PyTorch made (see
// make_networks.py) and a set of drawn images.

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "cubcal/core/seed_stream.h"
#include "cubcal/io/logits_file.h"
#include "cubcal/io/npz.h"

namespace cubcal::test {
namespace {

namespace fs = std::filesystem;

const std::string kScripts = std::string(CUBCAL_TEST_DATA) + "/script/";

bool has(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

/// Three classes of colours under noise, 16 pixels a side.
void write_colours(const std::string& path) {
  NpzWriter npz(path);
  SeedStream noise(3, 0);
  for (const std::string split : {"train", "val", "test"}) {
    constexpr std::size_t count = 60;
    std::vector<std::uint8_t> pixels, labels;
    for (std::size_t i = 0; i < count; ++i) {
      labels.push_back(static_cast<std::uint8_t>(i % 3));
      for (std::size_t p = 0; p < std::size_t{16} * 16 * 3; ++p) {
        const bool of_class = p % 3 == labels.back();
        pixels.push_back(static_cast<std::uint8_t>(noise.below(128) + (of_class ? 100 : 0)));
      }
    }
    npz.add(split + "_images", ArrayView<const std::uint8_t>(pixels), {count, 16, 16, 3});
    npz.add(split + "_labels", ArrayView<const std::uint8_t>(labels), {count});
  }
  npz.finish();
}

class ScriptCommands : public testing::Test {
 protected:
  void SetUp() override { write_colours(scratch_.file("set.npz")); }

  Outcome run(const std::vector<std::string>& arguments) {
    return run_cubcal(arguments, scratch_.path());
  }

  Outcome import(const std::vector<std::string>& names, const std::string& target,
                 std::vector<std::string> more = {}) {
    std::vector<std::string> arguments = {"import"};
    for (const std::string& name : names) arguments.push_back(kScripts + name + ".ts");
    arguments.insert(arguments.end(), {"--trust", "--input", "3x16x16", "--class-names",
                                       "red,green,blue", "-o", target});
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  }

  LogitsFile logits(const std::string& model, const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments = {"logits",  "--model", model, "--data",
                                          "set.npz", "--split", "val", "-o",
                                          "out.npz", "--mc",    "6"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return read_logits_file(scratch_.file("out.npz"));
  }

  static std::vector<float> values(const LogitsFile& file) {
    const auto* first = file.logits.as<float>();
    return {first, first + file.logits.size()};
  }

  fs::path script_of(const std::string& model) const {
    for (const auto& entry : fs::directory_iterator(scratch_.path() / model)) {
      if (entry.path().extension() == ".ts") return entry.path();
    }
    return {};
  }

  ScratchFolder scratch_;
};

TEST_F(ScriptCommands, AModelGoesThroughAllCommands) {
  const Outcome imported = import({"traced"}, "model");
  ASSERT_EQ(imported.exit_code, 0) << imported.err;
  EXPECT_TRUE(has(imported.out, "MC dropout of ")) << imported.out;
  EXPECT_TRUE(has(imported.out, "features: what goes into the last linear layer"));

  const LogitsFile first = logits("model");
  EXPECT_EQ(first.logits.shape(), (std::vector<std::size_t>{6, 60, 3}));
  EXPECT_EQ(values(logits("model")), values(first));
  EXPECT_NE(values(logits("model", {"--seed", "2"})), values(first));
  EXPECT_EQ(values(logits("model", {"--batch", "7"})), values(first));

  ASSERT_EQ(run({"calibrate", "out.npz", "--method", "ts-nll", "-o", "cal.json"}).exit_code, 0);
  ASSERT_EQ(run({"attach", "cal.json", "--model", "model"}).exit_code, 0);
  const Outcome fitted = run({"ood", "--model", "model", "--data", "set.npz", "--fit", "--mc", "6",
                              "--bootstrap", "20", "--probes", "warn"});
  ASSERT_EQ(fitted.exit_code, 0) << fitted.err;
  const std::string image = std::string(CUBCAL_TEST_DATA) + "/images/rgb.jpg";
  const Outcome predicted = run({"predict", "--model", "model", image});
  ASSERT_EQ(predicted.exit_code, 0) << predicted.err;
  EXPECT_TRUE(has(predicted.out, "rgb.jpg")) << predicted.out;
  EXPECT_EQ(run({"predict", "--model", "model", image}).out, predicted.out);

  const Outcome bench = run({"bench", "--model", "model", "--mc", "3", "--images", "4", "--seconds",
                             "0", "--format", "json"});
  ASSERT_EQ(bench.exit_code, 0) << bench.err;
  const auto rows = nlohmann::json::parse(bench.out)["rows"];
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0]["network"], "torchscript");
  EXPECT_EQ(rows[0]["size"], 16);

  const Outcome deployed = run({"deploy", "model", "--data", "set.npz", "--name", "colours", "--mc",
                                "6", "--bootstrap", "20", "--probes", "warn", "-o", "deployed"});
  ASSERT_EQ(deployed.exit_code, 0) << deployed.err;
  EXPECT_EQ(contents_of(script_of("deployed")), contents_of(kScripts + "traced.ts"));
  EXPECT_EQ(run({"predict", "--model", "deployed", image}).exit_code, 0);
}

TEST_F(ScriptCommands, SeveralFilesAreAnEnsembleWhosePassesTheyAre) {
  const Outcome imported = import({"plain1", "plain2", "plain3"}, "ensemble");
  ASSERT_EQ(imported.exit_code, 0) << imported.err;
  EXPECT_TRUE(has(imported.out, "an ensemble of 3 TorchScript networks")) << imported.out;
  const LogitsFile three = logits("ensemble");
  ASSERT_EQ(three.logits.shape(), (std::vector<std::size_t>{3, 60, 3}));
  EXPECT_EQ(values(logits("ensemble", {"--seed", "9"})), values(three));
  ASSERT_EQ(import({"plain3", "plain1", "plain2"}, "other").exit_code, 0);
  const std::vector<float> first = values(three), other = values(logits("other"));
  EXPECT_TRUE(std::equal(first.begin(), first.begin() + 360, other.begin() + 180));
  EXPECT_TRUE(std::equal(first.begin() + 360, first.end(), other.begin()));
  const LogitsFile one = logits("ensemble", {"--mean"});
  EXPECT_EQ(values(one), std::vector<float>(first.begin(), first.begin() + 180));
  const Outcome fitted = run({"ood", "--model", "ensemble", "--data", "set.npz", "--fit",
                              "--bootstrap", "20", "--probes", "warn"});
  EXPECT_EQ(fitted.exit_code, 0) << fitted.err;

  const Outcome twice = import({"plain1", "plain1"}, "twice");
  EXPECT_EQ(twice.exit_code, 2);
  EXPECT_TRUE(has(twice.err, "are the same file: members of an ensemble must differ"));
  // Dropout of members is off.
  ASSERT_EQ(import({"member", "scripted"}, "off").exit_code, 0);
  const std::vector<float> off = values(logits("off"));
  EXPECT_EQ(values(logits("off", {"--seed", "4"})), off);
}

TEST_F(ScriptCommands, CodeIsLoadedOnlyWhereItIsTrusted) {
  const Outcome refused = run(
      {"import", kScripts + "traced.ts", "--input", "3x16x16", "--classes", "3", "-o", "model"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_TRUE(has(refused.err, "is TorchScript, which is code")) << refused.err;
  EXPECT_FALSE(fs::exists(scratch_.path() / "model"));

  ASSERT_EQ(import({"traced"}, "model").exit_code, 0);
  const std::string file = script_of("model").string();
  fs::copy_file(kScripts + "scripted.ts", file, fs::copy_options::overwrite_existing);
  const std::vector<std::string> predict = {"predict", "--model", "model",
                                            std::string(CUBCAL_TEST_DATA) + "/images/rgb.jpg"};
  const Outcome swapped = run(predict);
  EXPECT_EQ(swapped.exit_code, 1);
  EXPECT_TRUE(has(swapped.err, "is not the file that was trusted")) << swapped.err;
  fs::copy_file(kScripts + "traced.ts", file, fs::copy_options::overwrite_existing);
  EXPECT_EQ(run(predict).exit_code, 0);

  // Nor does it help to change what model.json says of it.
  std::string text = contents_of(scratch_.path() / "model/model.json");
  const std::string words = "\"one_by_one\": false";
  text.replace(text.find(words), words.size(), "\"one_by_one\": true");
  std::ofstream(scratch_.path() / "model/model.json") << text;
  EXPECT_EQ(run(predict).exit_code, 1);
}

TEST_F(ScriptCommands, SaysWhatItCannotTake) {
  struct Case {
    const char* name;
    std::vector<std::string> more;
    const char* words;
  };
  const Case cases[] = {
      {"plain1", {}, "has no dropout layer"},
      {"softmax", {}, "gives probabilities, and logits are needed: save it without its softmax"},
      {"sigmoid", {}, "as a sigmoid does, and logits are needed: save it without its last layer"},
      {"traced", {"--features", "nosuch"}, "calls no layer 'nosuch'"},
      {"traced", {"--kind", "variational"}, "--kind is of no use with TorchScript"},
      {"expected.npz", {}, "cannot open"},
  };
  for (const Case& each : cases) {
    const Outcome outcome = import({each.name}, "model", each.more);
    EXPECT_NE(outcome.exit_code, 0);
    EXPECT_TRUE(has(outcome.err, each.words)) << outcome.err;
    EXPECT_EQ(outcome.err.find('\n'), outcome.err.size() - 1) << outcome.err;
    EXPECT_FALSE(fs::exists(scratch_.path() / "model")) << each.words;
  }
  const Outcome no_features = import({"no_linear"}, "model");
  EXPECT_EQ(no_features.exit_code, 0) << no_features.err;
  EXPECT_TRUE(has(no_features.out, "its features cannot be read")) << no_features.out;
  const Outcome fitted = run({"ood", "--model", "model", "--data", "set.npz", "--fit", "--mc", "4",
                              "--bootstrap", "20", "--probes", "warn"});
  EXPECT_EQ(fitted.exit_code, 0) << fitted.err;
  const Outcome named = import({"no_linear"}, "model", {"--features", "conv", "--force"});
  EXPECT_TRUE(has(named.out, "features: the output of conv")) << named.out << named.err;
}

TEST_F(ScriptCommands, AnImportThatFailsLeavesNothingBehind) {
  const fs::path model = scratch_.path() / "model";
  const auto files = [&] {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(model)) {
      names.push_back(entry.path().filename().string());
    }
    return names;
  };
  for (const char* link : {"model.json", "weights.next.safetensors"}) {
    fs::create_directories(model);
    fs::create_symlink("elsewhere", model / link);
    const Outcome outcome = import({"traced"}, "model");
    EXPECT_EQ(outcome.exit_code, 1) << outcome.err;
    EXPECT_TRUE(has(outcome.err, link)) << outcome.err;
    EXPECT_EQ(files(), std::vector<std::string>{link});
    fs::remove_all(model);
  }
  ASSERT_EQ(import({"traced"}, "model").exit_code, 0);
  const fs::path own = script_of("model");
  fs::create_directories(model / "weights.next.safetensors");
  EXPECT_EQ(import({"scripted"}, "model", {"--force"}).exit_code, 1);
  const std::vector<std::string> left = files();
  EXPECT_EQ(
      std::count_if(left.begin(), left.end(),
                    [](const std::string& name) { return fs::path(name).extension() == ".ts"; }),
      1);
  EXPECT_EQ(script_of("model"), own) << "the model that is there keeps its own";
}

TEST_F(ScriptCommands, OneModelTakesTheOthersPlaceWithItsFile) {
  ASSERT_EQ(import({"traced"}, "model").exit_code, 0);
  ASSERT_EQ(import({"scripted"}, "model", {"--force"}).exit_code, 0);
  EXPECT_EQ(contents_of(script_of("model")), contents_of(kScripts + "scripted.ts"));
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(scratch_.path() / "model")) {
    files += entry.path().extension() == ".ts" ? 1 : 0;
  }
  EXPECT_EQ(files, 1U);
}

}  // namespace
}  // namespace cubcal::test
