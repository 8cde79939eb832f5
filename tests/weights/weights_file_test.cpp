#include "cubcal/weights/weights_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <limits>

#include "cubcal/core/error.h"
#include "cubcal/core/half.h"
#include "expect_error.h"

namespace cubcal::test {
namespace {

NdArray array(std::vector<std::size_t> shape, float value) {
  NdArray result(DType::kF32, std::move(shape));
  for (std::size_t i = 0; i < result.size(); ++i) result.as<float>()[i] = value;
  return result;
}

StateDict some_weights() {
  StateDict weights;
  weights.add("net.conv.weight", array({2, 3}, 0.1f));
  weights.add("net.conv.bias", array({2}, 0.1f));
  weights.add("net.fc.weight", array({1, 2}, 1e6f));
  return weights;
}

std::string target() { return ::testing::TempDir() + "cubcal_weights_file.safetensors"; }

TEST(WeightsFile, KernelsBecomeHalfAndVectorsStay) {
  const WeightsFileReport report =
      write_weights_file(target(), some_weights(), {{"fc"}, "net.", true});
  EXPECT_EQ(report.written, 2u);
  EXPECT_EQ(report.ignored, (std::vector<std::string>{"net.fc.weight"}));
  const StateDict read = read_state_dict(target());
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read.at("conv.bias").as<float>()[0], 0.1f);
  ASSERT_EQ(read.at("conv.weight").dtype(), DType::kF16);
  EXPECT_EQ(to_float(read.at("conv.weight").as<Half>()[5]), 0.0999755859375f);
  std::filesystem::remove(target());
}

TEST(WeightsFile, RefusesWhatItCannotKeep) {
  const StateDict weights = some_weights();
  expect_error<DataError>(
      [&] {
        write_weights_file(target(), weights, {{}, "", true});
      },
      "'net.fc.weight' holds a value that is not finite in float16");
  expect_error<DataError>(
      [&] {
        write_weights_file(target(), weights, {{}, "module.", false});
      },
      "does not start with 'module.'");
  expect_error<DataError>(
      [&] {
        write_weights_file(target(), weights, {{"net"}, "", false});
      },
      "no tensor is left");
  StateDict infinite;
  infinite.add("a", array({1}, std::numeric_limits<float>::infinity()));
  expect_error<DataError>([&] { write_weights_file(target(), infinite); }, "not finite");
  EXPECT_FALSE(std::filesystem::exists(target()));
}

}  // namespace
}  // namespace cubcal::test
