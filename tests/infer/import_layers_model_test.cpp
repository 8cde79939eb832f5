// import of a TensorFlow.js model and the script that fetches one, as a user meets them.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "cli/program.h"
#include "cubcal/weights/state_dict.h"
#include "cubcal_nn/infer/model_folder.h"
#include "weights/tiny_layers_model.h"

namespace cubcal::test {
namespace {

namespace fs = std::filesystem;

void write_model(const fs::path& folder, const LayersModelFiles& files) {
  fs::create_directories(folder);
  std::ofstream(folder / "model.json") << files.model_json;
  for (const auto& [name, bytes] : files.shards) {
    std::ofstream(folder / name, std::ios::binary) << bytes;
  }
}

bool says(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

TEST(ImportLayersModel, MakesAFileOfWeights) {
  const ScratchFolder scratch;
  write_model(scratch.path() / "keras", narrow_keras_resnet50(2, 5, 5000));
  const std::vector<std::string> command{"import", "keras/model.json",  "--ignore", "fc",
                                         "-o",     "trunk.safetensors", "--half"};
  const Outcome outcome = run_cubcal(command, scratch.path());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(says(outcome.out, "265 tensors from keras/model.json")) << outcome.out;
  EXPECT_TRUE(says(outcome.out, "left out as asked (2):\n  fc.weight\n  fc.bias\n")) << outcome.out;
  const StateDict read = read_state_dict(scratch.file("trunk.safetensors"));
  EXPECT_EQ(read.size(), 265u);
  EXPECT_EQ(read.at("conv1.weight").dtype(), DType::kF16);

  const Outcome again = run_cubcal(command, scratch.path());
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_TRUE(says(again.err, "--force replaces it")) << again.err;
}

TEST(ImportLayersModel, OptionsOfAModelAreNotForAFileOfWeights) {
  const Outcome network =
      run_cubcal({"import", "x", "--network", "resnet50", "-o", "x.safetensors"});
  EXPECT_EQ(network.exit_code, 2);
  EXPECT_TRUE(says(network.err, "--network is for a model folder")) << network.err;
  const Outcome half =
      run_cubcal({"import", "x", "--network", "resnet50", "--classes", "3", "--half", "-o", "x"});
  EXPECT_EQ(half.exit_code, 2);
  EXPECT_TRUE(says(half.err, "--half goes with")) << half.err;
  const Outcome none = run_cubcal({"import", "x", "-o", "x"});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_TRUE(says(none.err, "--network is required for a model folder")) << none.err;
}

TEST(ImportLayersModel, FillsBothResNets) {
  const ScratchFolder scratch;
  write_model(scratch.path() / "keras", narrow_keras_resnet50(64, 3, 4 << 20));
  for (const std::string network : {"resnet50-v1", "resnet50"}) {
    const Outcome outcome =
        run_cubcal({"import", "keras", "--network", network, "--classes", "7", "--size", "64",
                    "--ignore", "fc", "--allow-missing", "fc", "-o", network},
                   scratch.path());
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_TRUE(says(outcome.out, "freshly initialised (4):")) << outcome.out;
    EXPECT_EQ(says(outcome.out, "resnet50-v1 is the network they were trained in"),
              network == "resnet50");
    EXPECT_EQ(load_model(scratch.file(network)).network->name(), network);
  }
}

TEST(ImportLayersModel, TheScriptImportsAPackage) {
  const ScratchFolder scratch;
  write_model(scratch.path() / "package" / "ResNet50", narrow_keras_resnet50(2, 5, 5000));
  const auto shell = [&](const std::string& command) {
    return std::system(("cd '" + scratch.path().string() + "' && " + command).c_str());
  };
  ASSERT_EQ(shell("tar -czf made_up.tgz package"), 0);
  ASSERT_EQ(shell("CUBCAL='" CUBCAL_PROGRAM "' CUBCAL_PACKAGE=made_up.tgz '" CUBCAL_FETCH_SCRIPT
                  "' out.safetensors --half > said.txt"),
            0);
  EXPECT_EQ(read_state_dict(scratch.file("out.safetensors")).size(), 265u);
  EXPECT_NE(shell("'" CUBCAL_FETCH_SCRIPT "' 2> said.txt"), 0);
  EXPECT_TRUE(says(contents_of(scratch.path() / "said.txt"), "usage:"));
}

}  // namespace
}  // namespace cubcal::test
