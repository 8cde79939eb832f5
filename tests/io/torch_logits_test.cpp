#include "cubcal/io/torch_logits.h"

#include <gtest/gtest.h>

#include "cubcal/core/error.h"
#include "cubcal/core/half.h"
#include "io/file_fixtures.h"

namespace cubcal {
namespace {

using test::contains;
using test::message_of;

std::string torch_path(const std::string& name) {
  return std::string(CUBCAL_TEST_DATA) + "/torch/" + name + ".pt";
}

LogitsFile read(const std::string& name, const LogitsReading& reading = {}) {
  return read_logits_file(torch_path(name), reading);
}

std::string complaint(const std::string& name, const LogitsReading& reading = {}) {
  return message_of<DataError>([&] { read(name, reading); });
}

double logit(const LogitsFile& file, std::size_t index) {
  switch (file.logits.dtype()) {
    case DType::kF16: return to_float(file.logits.as<Half>()[index]);
    case DType::kF32: return file.logits.as<float>()[index];
    default: return file.logits.as<double>()[index];
  }
}

/// As tests/io/make_torch_logits.py makes them.
void expect_logits(const LogitsFile& file, DType dtype) {
  ASSERT_EQ(file.logits.dtype(), dtype);
  ASSERT_EQ(file.logits.shape(), (std::vector<std::size_t>{2, 4, 3}));
  for (std::size_t i = 0; i < 24; ++i) EXPECT_EQ(logit(file, i), static_cast<double>(i) / 8 - 1);
}

const std::vector<std::int64_t> kLabels{0, 2, 1, 2};

TEST(TorchLogits, ReadsATensorAlone) {
  const LogitsFile file = read("tensor");
  expect_logits(file, DType::kF32);
  EXPECT_FALSE(file.has_labels);
  LogitsReading reading;
  reading.labels_file = torch_path("labels");
  EXPECT_EQ(read("tensor", reading).labels, kLabels);
  reading.labels_file = torch_path("whole");
  EXPECT_EQ(read("tensor", reading).labels, kLabels);
}

TEST(TorchLogits, ReadsADictionaryInBothContainers) {
  for (const char* name : {"whole", "legacy"}) {
    LogitsReading reading;
    reading.all_columns = true;
    const LogitsFile file = read(name, reading);
    expect_logits(file, DType::kF32);
    EXPECT_EQ(file.labels, kLabels);
    EXPECT_EQ(file.groups, (std::vector<std::string>{"p1", "p1", "p2", "p3"}));
    EXPECT_EQ(file.files[3], "d.png");
    EXPECT_EQ(file.class_names, (std::vector<std::string>{"nv", "mel", "bcc"}));
    ASSERT_EQ(file.columns.size(), 2U);
    EXPECT_EQ(column_values(file, "sex"), (std::vector<std::string>{"f", "m", "", "f"}));
    EXPECT_EQ(column_values(file, "age"), (std::vector<std::string>{"40", "51", "62", "73"}));
  }
}

TEST(TorchLogits, ReadsEveryFloatingTypeAndViews) {
  LogitsReading reading;
  reading.logits_key = "z";
  reading.labels_key = "y";
  const LogitsFile brain = read("keys", reading);
  expect_logits(brain, DType::kF32);  // bfloat16
  EXPECT_EQ(brain.labels, kLabels);
  const LogitsFile half = read("half");
  expect_logits(half, DType::kF16);
  EXPECT_EQ(half.labels, kLabels);
  EXPECT_EQ(half.groups[3], "9");
  const LogitsFile views = read("views");
  expect_logits(views, DType::kF64);
  EXPECT_EQ(views.labels, kLabels);
  expect_logits(read("gradient"), DType::kF32);
  EXPECT_EQ(read("bools").labels, (std::vector<std::int64_t>{1, 0, 1, 1}));
  EXPECT_EQ(read("names").labels, kLabels);
}

TEST(TorchLogits, LeavesOutIgnoredLabels) {
  LogitsReading reading;
  reading.ignored_label = "2";
  EXPECT_EQ(read("whole", reading).labels, (std::vector<std::int64_t>{0, 1}));
}

TEST(TorchLogits, RunsNoCode) {
  const std::string words = complaint("code");
  EXPECT_TRUE(contains(words, "system', which is refused: loading runs no code")) << words;
  EXPECT_TRUE(contains(complaint("array"), "which is refused: loading runs no code"));
}

TEST(TorchLogits, SaysWhatIsWrong) {
  EXPECT_TRUE(contains(
      complaint("keys"),
      "has no entry 'logits'; its keys are 'epoch', 'z', 'y': say with the option 'logits_key'"))
      << complaint("keys");
  EXPECT_TRUE(contains(complaint("pair"), "holds neither a tensor nor a dictionary of tensors"));
  EXPECT_TRUE(contains(complaint("swapped"), "as logits.transpose(0, 1) makes it"));
  EXPECT_TRUE(contains(complaint("float_labels"), "as labels.long() makes them"));
  EXPECT_TRUE(
      contains(complaint("short_labels"), "the entry 'labels' of '" + torch_path("short_labels") +
                                              "' has shape (3,), but the logits have 4 samples"))
      << complaint("short_labels");
  EXPECT_TRUE(contains(complaint("integers"), "is int64, but logits must be float16"));
  EXPECT_TRUE(contains(complaint("expanded"), "the logits have 1000 samples"));
  LogitsReading reading;
  reading.with_labels = false;
  EXPECT_TRUE(contains(complaint("expanded", reading), "is an expanded view, 3000000 elements"))
      << complaint("expanded", reading);
  reading.columns = {"site"};
  EXPECT_TRUE(contains(complaint("whole", reading), "its columns are: sex, age"));
  EXPECT_TRUE(contains(complaint("tensor", reading), "holds logits alone, without the column"));
  reading.columns.clear();
  reading.logits_key = "class_names";
  EXPECT_TRUE(contains(complaint("whole", reading), "'class_names' of"));
  EXPECT_TRUE(contains(complaint("whole", reading), "is not a tensor"));
}

// Cut anywhere, a file is refused with a sentence, never read as something else.
TEST(TorchLogits, RefusesACutFile) {
  for (const char* name : {"whole", "legacy"}) {
    const std::string bytes = test::file_bytes(torch_path(name));
    for (std::size_t size = 0; size < bytes.size(); size += 7) {
      const std::string cut = bytes.substr(0, size);
      EXPECT_THROW(read_logits_file(std::make_shared<MemorySource>("cut", cut)), DataError) << size;
    }
  }
}

}  // namespace
}  // namespace cubcal
