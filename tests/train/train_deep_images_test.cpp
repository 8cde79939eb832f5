#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "cubcal/core/seed_stream.h"
#include "cubcal/image/png_encoder.h"
#include "cubcal/io/atomic_file.h"
#include "dicom/dicom_file.h"

/// Images of 16 bits through the real program, in classes that 8 bits cannot tell apart: both lie
/// within one level of 255.
namespace cubcal::test {
namespace {

constexpr std::size_t kSize = 16;

constexpr const char* kRecipeOfDeepImages = R"(
[data]
path = "images"
image_size = 16
resize_to = 16
[augmentation]
horizontal_flip = true
[stage1]
epochs = 12
batch = 16
learning_rate = 0.05
[stage2]
method = "bnn+cub"
epochs = 2
batch = 16
passes = 2
learning_rate = 0.001
moped_delta = 0.01
beta_warmup_epochs = 1
kl_reduction = "mean"
)";

/// Levels around 30000, brighter by 50 in the middle (of 257 that are one level of 8 bits) or at
/// the rim.
std::vector<std::uint16_t> levels(bool middle, std::uint64_t seed) {
  SeedStream stream(seed, middle ? 1 : 0);
  std::vector<std::uint16_t> values;
  for (std::size_t y = 0; y < kSize; ++y) {
    for (std::size_t x = 0; x < kSize; ++x) {
      const bool inside = x >= 4 && x < 12 && y >= 4 && y < 12;
      values.push_back(
          static_cast<std::uint16_t>(29950 + (inside == middle ? 50 : 0) + stream.below(10)));
    }
  }
  return values;
}

std::string png_of(const std::vector<std::uint16_t>& values) {
  return encode_png({kSize, kSize, 1, {}, values});
}

/// With a window over all 16 bits, so that levels are the stored values.
std::string dicom_of(const std::vector<std::uint16_t>& values) {
  DicomFileBuilder file = DicomFileBuilder::gray(kSize, kSize, 16);
  file.text(0x00281050, "DS", "32768").text(0x00281051, "DS", "65536");
  file.words(0x7fe00010, values, "OW");
  return file.file();
}

class TrainOnDeepImages : public testing::TestWithParam<const char*> {
 protected:
  std::string file_of(bool middle, std::uint64_t seed) const {
    const std::vector<std::uint16_t> values = levels(middle, seed);
    return std::string(GetParam()) == "png" ? png_of(values) : dicom_of(values);
  }

  void SetUp() override {
    for (const bool middle : {true, false}) {
      for (const auto& [split, first, count] :
           {std::tuple{"train", 0, 48}, std::tuple{"val", 100, 12}, std::tuple{"test", 200, 12}}) {
        const auto folder = scratch_.path() / "images" / split / (middle ? "middle" : "rim");
        std::filesystem::create_directories(folder);
        for (int i = 0; i < count; ++i) {
          const std::string name = std::to_string(i) + "." + GetParam();
          write_file_atomically((folder / name).string(),
                                file_of(middle, static_cast<std::uint64_t>(first + i)));
        }
      }
    }
    write_file_atomically(scratch_.file("recipe.toml"), kRecipeOfDeepImages);
  }

  ScratchFolder scratch_;
};

TEST_P(TrainOnDeepImages, TrainsAndPredictsWhatEightBitsCannotTell) {
  const Outcome trained = run_cubcal({"train", "recipe.toml", "--out", "run"}, scratch_.path());
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  const std::string middle = std::string("images/test/middle/0.") + GetParam();
  const std::string rim = std::string("images/test/rim/0.") + GetParam();
  const Outcome predicted = run_cubcal(
      {"predict", "--model", "run", middle, rim, "--mc", "10", "--json"}, scratch_.path());
  ASSERT_EQ(predicted.exit_code, 0) << predicted.err;
  const auto document = nlohmann::json::parse(predicted.out);
  EXPECT_EQ(document["predictions"][0]["class"], "middle") << trained.out << predicted.out;
  EXPECT_EQ(document["predictions"][1]["class"], "rim") << trained.out << predicted.out;
}

INSTANTIATE_TEST_SUITE_P(Files, TrainOnDeepImages, testing::Values("png", "dcm"),
                         [](const auto& kind) { return std::string(kind.param); });

}  // namespace
}  // namespace cubcal::test
