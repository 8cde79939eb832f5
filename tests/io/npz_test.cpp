#include "cubcal/io/npz.h"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "cubcal/core/error.h"
#include "cubcal/core/half.h"
#include "io/file_fixtures.h"

namespace cubcal {
namespace {

using test::contains;
using test::file_bytes;
using test::message_of;
using test::TemporaryFolder;
using test::vector_path;

/// The element as a number, whatever its type.
double element(const NdArray& array, std::size_t i) {
  switch (array.dtype()) {
    case DType::kF16: return to_float(array.as<Half>()[i]);
    case DType::kF32: return array.as<float>()[i];
    case DType::kF64: return array.as<double>()[i];
    case DType::kI8: return array.as<std::int8_t>()[i];
    case DType::kI16: return array.as<std::int16_t>()[i];
    case DType::kI32: return array.as<std::int32_t>()[i];
    case DType::kI64: return static_cast<double>(array.as<std::int64_t>()[i]);
    case DType::kU8: return array.as<std::uint8_t>()[i];
    case DType::kU16: return array.as<std::uint16_t>()[i];
    case DType::kU32: return array.as<std::uint32_t>()[i];
    case DType::kU64: return static_cast<double>(array.as<std::uint64_t>()[i]);
    case DType::kBool: return array.as<std::uint8_t>()[i];
  }
  return -1;
}

TEST(Npz, reads_every_number_type_in_both_byte_orders) {
  const std::vector<std::pair<const char*, DType>> types{
      {"f2", DType::kF16}, {"f4", DType::kF32}, {"f8", DType::kF64}, {"i1", DType::kI8},
      {"i2", DType::kI16}, {"i4", DType::kI32}, {"i8", DType::kI64}, {"u1", DType::kU8},
      {"u2", DType::kU16}, {"u4", DType::kU32}, {"u8", DType::kU64}, {"b1", DType::kBool}};
  for (const char* file : {"numbers_little.npz", "numbers_big.npz"}) {
    const NpzReader npz(vector_path(file));
    EXPECT_EQ(npz.names().size(), types.size());
    for (const auto& [name, dtype] : types) {
      SCOPED_TRACE(std::string(file) + " " + name);
      const NdArray array = npz.read(name);
      EXPECT_EQ(array.dtype(), dtype);
      ASSERT_EQ(array.shape(), (std::vector<std::size_t>{2, 3}));
      const std::vector<double> expected = dtype == DType::kBool
                                               ? std::vector<double>{0, 1, 0, 1, 0, 1}
                                               : std::vector<double>{0, 1, 2, 3, 4, 100};
      for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(element(array, i), expected[i]);
    }
  }
}

TEST(Npz, reads_text_of_every_kind) {
  const NpzReader npz(vector_path("text.npz"));
  const std::vector<std::string> expected{"", "a", "Röntgen", "肺炎", "😀 x"};
  EXPECT_EQ(npz.read_text("little"), expected);
  EXPECT_EQ(npz.read_text("big"), expected);
  EXPECT_EQ(npz.read_text("bytes"), expected);
  EXPECT_EQ(npz.read("número").as<std::int64_t>()[0], 7);
  EXPECT_TRUE(contains(message_of<DataError>([&] { npz.read_text("latin1"); }),
                       "the text 'caf\\xe9' is not UTF-8"));
}

TEST(Npz, refuses_objects_and_says_what_to_do) {
  const std::string path = vector_path("refused.npz");
  const NpzReader npz(path);
  EXPECT_EQ(message_of<DataError>([&] { npz.read_text("objects"); }),
            "the array 'objects' of '" + path +
                "' holds pickled Python objects, which are refused because reading them would run "
                "code; save text as fixed-width strings, for example with np.array(names, "
                "dtype=str)");
  EXPECT_TRUE(contains(message_of<DataError>([&] { npz.read("structured"); }),
                       "is a structured array, but only arrays of plain numbers or text"));
  EXPECT_TRUE(contains(message_of<DataError>([&] { npz.read("complex"); }), "has the type '<c16'"));
  EXPECT_TRUE(contains(message_of<DataError>([&] { npz.read("date"); }), "has the type '<M8[D]'"));
}

TEST(Npz, reads_the_forms_other_zip_writers_produce) {
  for (const char* file :
       {"logits.npz", "logits_deflated.npz", "prefix_and_comment.npz", "streamed.npz"}) {
    SCOPED_TRACE(file);
    const NpzReader npz(vector_path(file));
    const NdArray array = npz.read("logits");
    ASSERT_EQ(array.shape(), (std::vector<std::size_t>{2, 3, 4}));
    EXPECT_EQ(element(array, 23), 123);
  }
}

TEST(Npz, peeks_without_reading) {
  const NpzReader npz(vector_path("logits.npz"));
  const NpyHeader header = npz.peek("logits");
  EXPECT_EQ(header.type_text(), "float32");
  EXPECT_EQ(header.shape_text(), "(2, 3, 4)");
  EXPECT_TRUE(npz.peek("groups").is_text());
  EXPECT_EQ(npz.peek("groups").type_text(), "text");
}

TEST(Npz, names_what_is_there_when_something_is_missing) {
  const std::string path = vector_path("logits.npz");
  const NpzReader npz(path);
  EXPECT_TRUE(npz.has("logits"));
  EXPECT_FALSE(npz.has("logits.npy"));
  EXPECT_EQ(
      message_of<DataError>([&] { npz.read("scores"); }),
      "'" + path + "' has no array 'scores'; it holds 'logits', 'labels', 'groups', 'class_names'");
}

TEST(Npz, round_trips_every_kind_of_value) {
  const TemporaryFolder folder;
  for (const bool zip64 : {false, true}) {
    const std::string path = folder.file("x.npz");
    NpzWriter writer(path, {zip64});
    NdArray halves(DType::kF16, {2});
    halves.as<Half>()[0] = {0x3C00};
    halves.as<Half>()[1] = {0xC000};
    writer.add("halves", halves);
    const std::vector<double> doubles{0.1, -2e300};
    writer.add("doubles", ArrayView<const double>(doubles), {2, 1});
    const std::vector<float> floats{1, 2, 3, 4, 5, 6};
    writer.add("floats", ArrayView<const float>(floats), {1, 2, 3});
    const std::vector<std::int32_t> ints{-1};
    writer.add("ints", ArrayView<const std::int32_t>(ints), {});
    const std::vector<std::int64_t> longs{};
    writer.add("longs", ArrayView<const std::int64_t>(longs), {0});
    const std::vector<std::uint8_t> bytes{255};
    writer.add("bytes", ArrayView<const std::uint8_t>(bytes), {1});
    writer.add_text("texts", {"α", "b"});
    writer.finish();

    const NpzReader npz(path);
    EXPECT_EQ(npz.names().size(), 7U);
    EXPECT_EQ(element(npz.read("halves"), 1), -2);
    const NdArray read = npz.read("doubles");
    EXPECT_EQ(read.shape(), (std::vector<std::size_t>{2, 1}));
    EXPECT_EQ(element(read, 0), 0.1);
    EXPECT_EQ(element(read, 1), -2e300);
    EXPECT_EQ(npz.read("floats").shape(), (std::vector<std::size_t>{1, 2, 3}));
    EXPECT_EQ(element(npz.read("ints"), 0), -1);
    EXPECT_EQ(npz.read("longs").size(), 0U);
    EXPECT_EQ(element(npz.read("bytes"), 0), 255);
    EXPECT_EQ(npz.read_text("texts"), (std::vector<std::string>{"α", "b"}));
  }
}

TEST(Npz, a_large_array_survives_stored_and_threaded) {
  const TemporaryFolder folder;
  NdArray array(DType::kF32, {7, 100003});
  for (std::size_t i = 0; i < array.size(); ++i) {
    array.as<float>()[i] = static_cast<float>(i) * 0.37F;
  }
  NpzWriter writer(folder.file("x.npz"));
  writer.add("a", array);
  writer.finish();
  const NdArray back = NpzReader(folder.file("x.npz")).read("a");
  ASSERT_EQ(back.shape(), array.shape());
  EXPECT_EQ(std::memcmp(back.bytes(), array.bytes(), array.byte_size()), 0);
}

/// An array large enough to be mapped rather than copied.
NdArray large_array() {
  NdArray array(DType::kF32, {5 << 20});
  for (std::size_t i = 0; i < array.size(); ++i) array.as<float>()[i] = static_cast<float>(i % 977);
  return array;
}

TEST(Npz, large_arrays_are_private_to_their_reader) {
  const TemporaryFolder folder;
  const NdArray array = large_array();
  write_npy(folder.file("x.npy"), array);
  NpzWriter writer(folder.file("x.npz"));
  writer.add("odd", array);
  writer.add("even", array);
  writer.finish();
  for (int round = 0; round < 2; ++round) {
    std::vector<NdArray> read;
    read.push_back(read_npy(folder.file("x.npy")));
    read.push_back(NpzReader(folder.file("x.npz")).read("odd"));
    read.push_back(NpzReader(folder.file("x.npz")).read("even"));
    for (NdArray& back : read) {
      ASSERT_EQ(std::memcmp(back.bytes(), array.bytes(), array.byte_size()), 0);
      back.as<float>()[12345] = -1.0F;  // the next round must not see it
    }
  }
}

TEST(Npz, damage_inside_a_large_array_is_found) {
  const TemporaryFolder folder;
  NpzWriter writer(folder.file("x.npz"));
  writer.add("a", large_array());
  writer.finish();
  {
    std::fstream file(folder.file("x.npz"), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(9 << 20);
    file.put('!');
  }
  const std::string message =
      message_of<DataError>([&] { NpzReader(folder.file("x.npz")).read("a"); });
  EXPECT_NE(message.find("its checksum does not match"), std::string::npos) << message;
}

TEST(Npz, nothing_appears_without_finish) {
  const TemporaryFolder folder;
  {
    NpzWriter writer(folder.file("x.npz"));
    writer.add_text("a", {"b"});
  }
  EXPECT_EQ(folder.entries(), 0U);
}

TEST(Npz, refuses_a_shape_that_does_not_fit_the_values) {
  const TemporaryFolder folder;
  NpzWriter writer(folder.file("x.npz"));
  const std::vector<float> values(5);
  EXPECT_EQ(message_of<ArgumentError>([&] {
              writer.add("a", ArrayView<const float>(values), {2, 3});
            }),
            "the shape given for the array 'a' has 6 elements, but 5 values were given");
}

TEST(Npz, reads_a_public_data_set) {
  const std::string path = std::string(CUBCAL_SHARED_DIR) + "/data/formats/pneumoniamnist.npz";
  if (::access(path.c_str(), R_OK) != 0) GTEST_SKIP() << "the data packs are not here";
  const NpzReader npz(path);
  const NdArray images = npz.read("test_images");
  const NdArray labels = npz.read("test_labels");
  ASSERT_EQ(images.dtype(), DType::kU8);
  EXPECT_EQ(labels.shape(), (std::vector<std::size_t>{images.shape()[0], 1}));
}

}  // namespace
}  // namespace cubcal
