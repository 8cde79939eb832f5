#include "cubcal/io/logits_writer.h"

#include <gtest/gtest.h>

#include "cubcal/core/error.h"
#include "cubcal/io/logits_file.h"
#include "expect_error.h"
#include "io/file_fixtures.h"

namespace cubcal::test {
namespace {

TEST(LogitsWriter, GroupsAreNumbersOrNames) {
  const TemporaryFolder folder;
  const NdArray logits(DType::kF32, {1, 2, 3});
  LogitsArrays arrays{logits};
  arrays.labels = std::vector<std::int64_t>{0, 2};
  arrays.group_numbers = std::vector<std::int64_t>{7, 8};
  arrays.class_names = {"a", "b", "c"};
  arrays.weights_hash = "0123";
  arrays.files = {"x.png", "y.png"};
  arrays.columns = {{"sex", {"f", "m"}}};
  NpzWriter npz(folder.file("x.npz"));
  add_logits_arrays(npz, arrays);
  npz.finish();
  EXPECT_EQ(NpzReader(folder.file("x.npz")).names(),
            (std::vector<std::string>{"logits", "labels", "groups", "class_names", "weights_hash",
                                      "files", "column_sex"}));
  EXPECT_EQ(NpzReader(folder.file("x.npz")).peek("groups").dtype, DType::kI64);
  EXPECT_EQ(read_logits_file(folder.file("x.npz")).groups, (std::vector<std::string>{"7", "8"}));
  arrays.files.pop_back();
  NpzWriter other(folder.file("y.npz"));
  expect_error<ArgumentError>([&] { add_logits_arrays(other, arrays); },
                              "files has 1 entries but the sample axis has 2");
}

}  // namespace
}  // namespace cubcal::test
