#include "cubcal/evaluation/outside_flags.h"

#include <gtest/gtest.h>

#include "cubcal/core/error.h"
#include "expect_error.h"

namespace cubcal {
namespace {

LogitsFile with_column(const std::vector<std::string>& values) {
  LogitsFile file;
  file.path = "test.npz";
  file.columns = {{"ood", values}};
  return file;
}

TEST(OutsideFlags, OfPValuesAndOfScores) {
  const LogitsFile file = with_column({"0.05", "0.06", "0", "1"});
  EXPECT_EQ(outside_flags(file, {"ood", true, 0.05}), (std::vector<std::uint8_t>{1, 0, 1, 0}));
  EXPECT_EQ(outside_flags(file, {"ood", false, 0.05}), (std::vector<std::uint8_t>{0, 1, 0, 1}));
}

TEST(OutsideFlags, RefusesWhatIsNoNumberOrNoProbability) {
  test::expect_error<DataError>(
      [] {
        outside_flags(with_column({"0.5", ""}), {"ood", true, 0.05});
      },
      "the column 'ood' of 'test.npz' has '' for sample 1");
  test::expect_error<DataError>(
      [] {
        outside_flags(with_column({"1.5"}), {"ood", true, 0.05});
      },
      "p-values in [0, 1] are needed");
  EXPECT_EQ(outside_flags(with_column({"1.5"}), {"ood", false, 1}).front(), 1);
}

}  // namespace
}  // namespace cubcal
