#include "cubcal/io/logits_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "cubcal/core/error.h"
#include "cubcal/io/npz.h"
#include "io/file_fixtures.h"

namespace cubcal {
namespace {

using test::contains;
using test::message_of;
using test::TemporaryFolder;
using test::vector_path;

template <class T>
void add(NpzWriter& npz, const std::string& name, const std::vector<T>& values,
         const std::vector<std::size_t>& shape) {
  npz.add(name, ArrayView<const T>(values), shape);
}

void add_logits(NpzWriter& npz) { add(npz, "logits", std::vector<float>(24), {2, 4, 3}); }

/// The message for an npz with what `fill` puts in, with the path taken out.
std::string logits_refusal(const std::function<void(NpzWriter&)>& fill) {
  const TemporaryFolder folder;
  const std::string path = folder.file("x.npz");
  NpzWriter npz(path);
  fill(npz);
  npz.finish();
  std::string message = message_of<DataError>([&] { read_logits_file(path); });
  const std::size_t at = message.find(path);
  return at == std::string::npos ? message : message.replace(at, path.size(), "x.npz");
}

TEST(LogitsFile, reads_all_that_belongs_to_the_logits) {
  for (const char* name : {"logits.npz", "logits_deflated.npz"}) {
    const LogitsFile file = read_logits_file(vector_path(name));
    EXPECT_EQ(file.logits.shape(), (std::vector<std::size_t>{2, 3, 4}));
    EXPECT_EQ(file.logits.dtype(), DType::kF32);
    EXPECT_EQ(file.logits.as<float>()[23], 123);
    EXPECT_TRUE(file.has_labels);
    EXPECT_EQ(file.labels, (std::vector<std::int64_t>{0, 3, 1}));
    EXPECT_EQ(file.groups, (std::vector<std::string>{"p1", "p1", "p2"}));
    EXPECT_EQ(file.class_names, (std::vector<std::string>{"none", "mild", "moderate", "severe"}));
    EXPECT_EQ(file.path, vector_path(name));
  }
}

TEST(LogitsFile, reads_fortran_big_endian_column_labels_and_integer_groups) {
  const LogitsFile file = read_logits_file(vector_path("logits_fortran_big.npz"));
  ASSERT_EQ(file.logits.dtype(), DType::kF64);
  EXPECT_EQ(file.logits.as<double>()[1 * 12 + 2 * 4 + 1], 121);
  EXPECT_EQ(file.labels, (std::vector<std::int64_t>{0, 3, 1}));
  EXPECT_EQ(file.groups, (std::vector<std::string>{"7", "-1", "7"}));
  EXPECT_TRUE(file.class_names.empty());
}

TEST(LogitsFile, a_bare_npy_has_logits_alone) {
  const LogitsFile file = read_logits_file(vector_path("cube_fortran.npy"));
  EXPECT_EQ(file.logits.as<float>()[23], 123);
  EXPECT_FALSE(file.has_labels);
  EXPECT_TRUE(file.labels.empty());
}

TEST(LogitsFile, two_axes_are_one_pass_in_either_order) {
  const TemporaryFolder folder;
  const std::string path = folder.file("x.npy");
  NdArray array(DType::kF32, {3, 2});
  for (std::size_t i = 0; i < 6; ++i) array.as<float>()[i] = static_cast<float>(i);
  write_npy(path, array);
  LogitsFile file = read_logits_file(path);
  EXPECT_EQ(file.logits.shape(), (std::vector<std::size_t>{1, 3, 2}));
  EXPECT_EQ(std::memcmp(file.logits.bytes(), array.bytes(), array.byte_size()), 0);

  std::string bytes = test::file_bytes(path);
  bytes.replace(bytes.find("False"), 5, "True ");
  write_file_atomically(path, bytes);
  file = read_logits_file(path);
  EXPECT_EQ(file.logits.shape(), (std::vector<std::size_t>{1, 3, 2}));
  const std::vector<float> expected{0, 3, 1, 4, 2, 5};
  EXPECT_EQ(std::memcmp(file.logits.bytes(), expected.data(), array.byte_size()), 0);
}

TEST(LogitsFile, integers_are_indices_whatever_the_classes_are_called) {
  const TemporaryFolder folder;
  NpzWriter npz(folder.file("x.npz"));
  add_logits(npz);
  add(npz, "labels", std::vector<std::int64_t>{0, 1, 2, 1}, {4});
  npz.add_text("class_names", {"1", "2", "3"});
  npz.finish();
  EXPECT_EQ(read_logits_file(folder.file("x.npz")).labels, (std::vector<std::int64_t>{0, 1, 2, 1}));
}

TEST(LogitsFile, text_names_classes) {
  const TemporaryFolder folder;
  NpzWriter npz(folder.file("x.npz"));
  add_logits(npz);
  npz.add_text("labels", {"2", "1", "3", "1"});
  npz.add_text("class_names", {"1", "2", "3"});
  npz.finish();
  EXPECT_EQ(read_logits_file(folder.file("x.npz")).labels, (std::vector<std::int64_t>{1, 0, 2, 0}));
}

TEST(LogitsFile, round_trips) {
  const TemporaryFolder folder;
  LogitsFile file = read_logits_file(vector_path("logits.npz"));
  write_logits_file(folder.file("x.npz"), file);
  const LogitsFile back = read_logits_file(folder.file("x.npz"));
  EXPECT_EQ(back.logits.shape(), file.logits.shape());
  EXPECT_EQ(std::memcmp(back.logits.bytes(), file.logits.bytes(), file.logits.byte_size()), 0);
  EXPECT_EQ(back.labels, file.labels);
  EXPECT_EQ(back.groups, file.groups);
  EXPECT_EQ(back.class_names, file.class_names);

  file.has_labels = false;
  file.groups.clear();
  file.class_names.clear();
  write_logits_file(folder.file("x.npz"), file);
  EXPECT_EQ(NpzReader(folder.file("x.npz")).names(), (std::vector<std::string>{"logits"}));

  file.groups = {"one"};
  EXPECT_EQ(message_of<ArgumentError>([&] { write_logits_file(folder.file("x.npz"), file); }),
            "groups has 1 entries but the sample axis has 3");
  file.logits = NdArray(DType::kI32, {1});
  EXPECT_THROW(write_logits_file(folder.file("x.npz"), file), ArgumentError);
}

TEST(LogitsFile, refuses_what_is_neither_format) {
  const TemporaryFolder folder;
  const std::string path = folder.file("x.npz");
  write_file_atomically(path, std::string_view("\0\1\2", 3));
  EXPECT_EQ(message_of<DataError>([&] { read_logits_file(path); }),
            "'" + path + "' is neither an npz, an npy, a PyTorch nor a CSV file");
  write_file_atomically(path, "");
  EXPECT_EQ(message_of<DataError>([&] { read_logits_file(path); }),
            "'" + path + "' is neither an npz, an npy, a PyTorch nor a CSV file");
  EXPECT_THROW(read_logits_file(folder.file("missing.npz")), IoError);
}

TEST(LogitsFile, refuses_missing_or_wrong_logits) {
  EXPECT_EQ(
      logits_refusal([](NpzWriter& npz) {
        add(npz, "scores", std::vector<float>(6), {2, 3});
      }),
      "'x.npz' has no array 'logits'; it holds 'scores'; the option 'logits_key' names that of "
      "the logits");
  EXPECT_EQ(logits_refusal([](NpzWriter&) {}), "'x.npz' has no array 'logits'; it holds no arrays");
  EXPECT_EQ(
      logits_refusal([](NpzWriter& npz) {
        add(npz, "logits", std::vector<std::int32_t>(6), {2, 3});
      }),
      "the array 'logits' of 'x.npz' is int32, but logits must be float16, float32 or float64");
  EXPECT_EQ(
      logits_refusal([](NpzWriter& npz) { npz.add_text("logits", {"a"}); }),
      "the array 'logits' of 'x.npz' is text, but logits must be float16, float32 or float64");
  EXPECT_EQ(logits_refusal([](NpzWriter& npz) { add(npz, "logits", std::vector<float>(6), {6}); }),
            "the array 'logits' of 'x.npz' has shape (6,), but logits must be [S,N,K] (passes, "
            "samples, classes) or [N,K]; the option 'binary' takes one number for each sample, as "
            "of a sigmoid");
  for (const std::vector<std::size_t>& shape :
       std::vector<std::vector<std::size_t>>{{0, 2, 3}, {2, 0, 3}, {2, 3, 0}, {0, 3}}) {
    EXPECT_TRUE(contains(
        logits_refusal([&](NpzWriter& npz) { add(npz, "logits", std::vector<float>(), shape); }),
        "but logits need at least one pass, one sample and two classes"));
  }
  EXPECT_EQ(logits_refusal([](NpzWriter& npz) {
              add(npz, "logits", std::vector<float>(6), {2, 3, 1});
            }),
            "the array 'logits' of 'x.npz' has shape (2, 3, 1) and so a single class, but at least "
            "two are needed; the option 'binary' takes one number for each sample, as of a "
            "sigmoid");
}

TEST(LogitsFile, a_shard_is_to_be_merged_first) {
  EXPECT_EQ(logits_refusal([](NpzWriter& npz) {
              add_logits(npz);
              npz.add_text("shard", {"{}"});
              add(npz, "places", std::vector<std::int64_t>{0, 2, 4, 6}, {4});
            }),
            "'x.npz' is one shard of a larger job, with a part of its samples: merge all of them "
            "first");
}

TEST(LogitsFile, tables_of_other_habits_are_read) {
  const TemporaryFolder folder;
  const std::string path = folder.file("x.csv");
  for (const char* text : {"label;p a;p b\n0.0;0.9;0.1\n1.0;0.2;0.8\n",
                           "label,p a,p b\n0.0,0.9,0.1\n1.00,0.2,0.8\n"}) {
    write_file_atomically(path, text);
    EXPECT_EQ(read_logits_file(path).labels, (std::vector<std::int64_t>{0, 1}));
  }
  write_file_atomically(path, "label,p a,p b\n0.5,0.9,0.1\n");
  EXPECT_TRUE(contains(message_of<DataError>([&] { read_logits_file(path); }),
                       "has the label '0.5' at index 0"));
  LogitsReading reading;
  reading.ignored_label = "-1";
  write_file_atomically(path, "label,p a,p b\n-1.0,0.9,0.1\n1.0,0.2,0.8\n");
  EXPECT_EQ(read_logits_file(path, reading).labels, (std::vector<std::int64_t>{1}));
}

TEST(LogitsFile, labels_without_a_header_are_told) {
  const TemporaryFolder folder;
  write_file_atomically(folder.file("x.csv"), "p a,p b\n0.9,0.1\n0.2,0.8\n");
  LogitsReading reading;
  reading.labels_file = folder.file("y.csv");
  write_file_atomically(reading.labels_file, "0\n1\n");
  EXPECT_TRUE(
      contains(message_of<DataError>([&] { read_logits_file(folder.file("x.csv"), reading); }),
               "has 1 rows of labels, but the logits have 2 samples: its first line is taken for "
               "the header, which names the column"));
}

TEST(LogitsFile, refuses_wrong_labels) {
  using Longs = std::vector<std::int64_t>;
  const auto with = [](auto values, const std::vector<std::size_t>& shape) {
    return logits_refusal([&](NpzWriter& npz) {
      add_logits(npz);
      add(npz, "labels", values, shape);
    });
  };
  EXPECT_EQ(with(Longs(3), {3}),
            "the array 'labels' of 'x.npz' has shape (3,), but the logits have 4 samples");
  EXPECT_EQ(
      with(Longs(8), {4, 2}),
      "the array 'labels' of 'x.npz' has shape (4, 2), but a label is one class index for each "
      "sample; of one-hot labels labels.argmax(1) makes them");
  EXPECT_EQ(with(Longs{0, 2, 3, -1}, {4}),
            "the array 'labels' of 'x.npz' has the label 3 at index 2, but the logits have classes "
            "0 to 2");
  EXPECT_EQ(with(Longs{0, -1, 1, 9}, {4}),
            "the array 'labels' of 'x.npz' has the label -1 at index 1, but the logits have "
            "classes 0 to 2; the option 'ignore_label' leaves out samples of a label");
  EXPECT_EQ(with(std::vector<double>(4), {4}),
            "the array 'labels' of 'x.npz' is float64, but labels must be integers, as "
            "labels.astype(np.int64) makes them");
  EXPECT_TRUE(contains(
      logits_refusal([](NpzWriter& npz) {
        add_logits(npz);
        npz.add_text("labels", {"a", "b", "c", "d"});
      }),
      "has the label 'a' at index 0, which is neither the index of a class nor one of the class "
      "names"));
}

TEST(LogitsFile, labels_beyond_int64_do_not_wrap) {
  NdArray labels(DType::kU64, {4});
  for (std::size_t i = 0; i < 4; ++i) labels.as<std::uint64_t>()[i] = 1;
  labels.as<std::uint64_t>()[3] = 0xFFFFFFFFFFFFFFFF;
  EXPECT_EQ(logits_refusal([&](NpzWriter& npz) {
              add_logits(npz);
              npz.add("labels", labels);
            }),
            "the array 'labels' of 'x.npz' has the label 18446744073709551615 at index 3, but the "
            "logits have classes 0 to 2");
}

TEST(LogitsFile, refuses_wrong_groups_and_class_names) {
  EXPECT_EQ(logits_refusal([](NpzWriter& npz) {
              add_logits(npz);
              npz.add_text("groups", {"a"});
            }),
            "the array 'groups' of 'x.npz' has shape (1,), but the logits have 4 samples");
  EXPECT_EQ(logits_refusal([](NpzWriter& npz) {
              add_logits(npz);
              add(npz, "groups", std::vector<float>(4), {4});
            }),
            "the array 'groups' of 'x.npz' is float32, but groups must be text or integers");
  EXPECT_EQ(logits_refusal([](NpzWriter& npz) {
              add_logits(npz);
              npz.add_text("class_names", {"a", "b"});
            }),
            "the array 'class_names' of 'x.npz' has shape (2,), but the logits have 3 classes");
  EXPECT_EQ(logits_refusal([](NpzWriter& npz) {
              add_logits(npz);
              add(npz, "class_names", std::vector<std::int32_t>(3), {3});
            }),
            "the array 'class_names' of 'x.npz' is int32, but class names must be text");
}

TEST(LogitsFile, reads_the_reference_cases) {
  const std::string path = std::string(CUBCAL_SHARED_DIR) + "/reference/k3_basic.npz";
  if (::access(path.c_str(), R_OK) != 0) GTEST_SKIP() << "the reference cases are not here";
  const LogitsFile file = read_logits_file(path);
  EXPECT_EQ(file.logits.shape()[2], 3U);
  EXPECT_EQ(file.labels.size(), file.logits.shape()[1]);
}

}  // namespace
}  // namespace cubcal
