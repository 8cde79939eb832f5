#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/program.h"

namespace cubcal::test {

/// The program in a folder with simulated logits in demo/, made once for each suite.
class DemoLogits : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    scratch = new ScratchFolder;
    const Outcome made = run({"example", "--out", "demo", "--samples", "400", "--passes", "10"});
    ASSERT_EQ(made.exit_code, 0) << made.err;
  }
  static void TearDownTestSuite() { delete scratch; }

  static Outcome run(const std::vector<std::string>& arguments) {
    return run_cubcal(arguments, scratch->path());
  }
  static nlohmann::json json_of(const std::vector<std::string>& arguments) {
    const Outcome result = run(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return nlohmann::json::parse(result.out);
  }

  static inline ScratchFolder* scratch = nullptr;
};

}  // namespace cubcal::test
