#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "cubcal/io/atomic_file.h"
#include "cubcal/io/logits_file.h"
#include "cubcal/io/npz.h"

/// From image files to a model and back to the files, through the real program.
namespace cubcal::test {
namespace {

constexpr const char* kRecipeOfFiles = R"(
[data]
path = "drawn/split.csv"
resize_to = 28
image_size = 24
reduce_to = 20
fit = "crop"
[augmentation]
crop_least = 0.6
brightness = 0.1
contrast = 0.1
[stage1]
epochs = 1
batch = 16
)";

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class TrainOnFiles : public testing::Test {
 protected:
  void SetUp() override {
    expect_success({"example", "--out", "drawn", "--images", "--samples", "1", "--passes", "1"});
    expect_success({"data", "split", "drawn/images", "-o", "drawn/split.csv"});
    write_file_atomically(scratch_.file("recipe.toml"), kRecipeOfFiles);
  }

  Outcome run(const std::vector<std::string>& arguments) {
    return run_cubcal(arguments, scratch_.path());
  }
  Outcome expect_success(const std::vector<std::string>& arguments) {
    Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.exit_code, 0) << arguments[0] << ": " << outcome.err;
    return outcome;
  }

  ScratchFolder scratch_;
};

TEST_F(TrainOnFiles, PredictionOfAFileIsItsEvaluation) {
  const Outcome trained = expect_success({"train", "recipe.toml", "--out", "run"});
  EXPECT_TRUE(has(trained.out,
                  "data: drawn/split.csv (manifest), 2 classes, train 84, val 18, "
                  "test 18, images of 1 x 28 x 28"))
      << trained.out;
  expect_success({"logits", "--model", "run", "--data", "drawn/split.csv", "--split", "test", "-o",
                  "test.npz"});
  const NpzReader npz(scratch_.file("test.npz"));
  const std::vector<std::string> files = npz.read_text("files");
  ASSERT_EQ(files.size(), 18U);
  EXPECT_EQ(npz.read_text("column_scanner").size(), 18U);
  const LogitsFile logits = read_logits_file(scratch_.file("test.npz"));
  const Outcome predicted =
      expect_success({"predict", "--model", "run", "drawn/" + files[3], "--json"});
  const auto document = nlohmann::json::parse(predicted.out);
  const float* z = logits.logits.as<float>() + 3 * 2;
  const double expected = 1 / (1 + std::exp(static_cast<double>(z[1]) - z[0]));
  EXPECT_NEAR(document["predictions"][0]["probabilities"]["benign"].get<double>(), expected, 1e-6);
}

TEST_F(TrainOnFiles, LabelsOfAnotherSetAreMatchedByName) {
  expect_success({"train", "recipe.toml", "--out", "run", "--set", "data.where=['scanner=A']"});
  // Only one class, and a column less: the recipe's rows cannot be chosen here.
  write_file_atomically(scratch_.file("drawn/other.csv"),
                        "file,label_name,split\nimages/image-0.png,malign,test\n"
                        "images/image-3.png,malign,test\nimages/image-1.png,cyst,ood\n");
  const std::vector<std::string> command = {"logits",          "--model", "run",  "--data",
                                            "drawn/other.csv", "--split", "test", "-o",
                                            "other.npz"};
  EXPECT_EQ(run(command).exit_code, 2) << "there is no column 'scanner'";
  std::vector<std::string> all_rows = command;
  all_rows.push_back("--all-rows");
  expect_success(all_rows);
  EXPECT_EQ(read_logits_file(scratch_.file("other.npz")).labels, (std::vector<std::int64_t>{1, 1}));
  write_file_atomically(scratch_.file("drawn/other.csv"),
                        "file,label_name,split\nimages/image-0.png,wart,test\n");
  const Outcome foreign = run(all_rows);
  EXPECT_EQ(foreign.exit_code, 1);
  EXPECT_TRUE(has(foreign.err, "class 'wart'") && has(foreign.err, "'benign', 'malign'"))
      << foreign.err;
}

TEST_F(TrainOnFiles, APackIsTheSameData) {
  expect_success({"data", "pack", "drawn/split.csv", "--size", "28", "--reduce-to", "20", "--fit",
                  "crop", "-o", "pack.safetensors"});
  const auto record = [&](const std::string& data, const std::string& folder) {
    expect_success({"train", "recipe.toml", "--data", data, "--out", folder});
    return nlohmann::json::parse(contents_of(scratch_.path() / folder / "record.json"));
  };
  const auto files = record("drawn/split.csv", "a");
  const auto pack = record("pack.safetensors", "b");
  EXPECT_EQ(files["data"]["hash"], pack["data"]["hash"]);
  EXPECT_EQ(contents_of(scratch_.path() / "a/best/weights.safetensors"),
            contents_of(scratch_.path() / "b/best/weights.safetensors"));
}

TEST_F(TrainOnFiles, RowsAreChosenInTheRecipe) {
  const Outcome trained =
      expect_success({"train", "recipe.toml", "--out", "run", "--set", "data.where=['scanner=A']",
                      "--set", "data.balance=true"});
  EXPECT_TRUE(has(trained.out, "2 classes, train")) << trained.out;
  EXPECT_FALSE(has(trained.out, "train 84")) << trained.out;
  const Outcome wrong =
      run({"train", "recipe.toml", "--out", "w", "--set", "data.where=['scanner=C']"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_TRUE(has(wrong.err, "'A'") && has(wrong.err, "'B'")) << wrong.err;
}

TEST_F(TrainOnFiles, ALeakIsRefusedUnlessAllowed) {
  // The same patients under new names, so that nothing holds their images together.
  std::string manifest = contents_of(scratch_.path() / "drawn/split.csv");
  const std::size_t train = manifest.find(",train,");
  const std::string line_start = manifest.substr(0, train);
  const std::string file = line_start.substr(line_start.rfind('\n') + 1);
  const std::string name = file.substr(0, file.find(','));
  std::filesystem::copy_file(scratch_.path() / "drawn" / name, scratch_.path() / "drawn/again.png");
  manifest += "again.png,0,benign,somebody else,test,A\n";
  write_file_atomically(scratch_.file("drawn/split.csv"), manifest);
  const Outcome refused = run({"train", "recipe.toml", "--out", "run"});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_TRUE(has(refused.err, "1 image is in both split 'train' and split 'test'")) << refused.err;
  EXPECT_TRUE(has(refused.err, "data.leaks = \"allow\"")) << refused.err;
  const Outcome allowed =
      expect_success({"train", "recipe.toml", "--out", "run", "--set", "data.leaks=allow"});
  EXPECT_TRUE(has(allowed.err + allowed.out, "1 image is in both")) << allowed.err;
}

TEST_F(TrainOnFiles, BadFilesAreAllNamedOrSkipped) {
  write_file_atomically(scratch_.file("drawn/images/image-4.png"), "not an image");
  write_file_atomically(scratch_.file("drawn/images/image-9.png"), "nor this");
  const Outcome refused = run({"train", "recipe.toml", "--out", "run"});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_TRUE(has(refused.err, "image-4.png") && has(refused.err, "image-9.png")) << refused.err;
  const Outcome skipped =
      expect_success({"train", "recipe.toml", "--out", "run", "--set", "data.bad_files=skip"});
  EXPECT_TRUE(has(skipped.err, "skipped: ") && has(skipped.err, "image-9.png")) << skipped.err;
}

}  // namespace
}  // namespace cubcal::test
