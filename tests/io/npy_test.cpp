#include "cubcal/io/npy.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "cubcal/core/error.h"
#include "cubcal/io/npy_dict.h"
#include "io/file_fixtures.h"

namespace cubcal {
namespace {

using test::contains;
using test::message_of;
using test::TemporaryFolder;
using test::vector_path;

/// A version 1.0 file with any text in its head.
std::string npy_file(const std::string& dict, const std::string& elements) {
  std::string file = "\x93NUMPY";
  file +=
      {'\x01', '\x00', static_cast<char>(dict.size() & 0xFF), static_cast<char>(dict.size() >> 8)};
  return file + dict + elements;
}

NdArray read_from(const std::string& bytes) {
  const auto source = std::make_shared<MemorySource>("memory", bytes);
  const auto stream = open_range(source, 0, bytes.size());
  const NpyHeader header = read_npy_header(*stream, "'x.npy'");
  return read_npy_numbers(*stream, header, "'x.npy'");
}

std::vector<std::string> read_text_from(const std::string& bytes) {
  const auto source = std::make_shared<MemorySource>("memory", bytes);
  const auto stream = open_range(source, 0, bytes.size());
  const NpyHeader header = read_npy_header(*stream, "'x.npy'");
  return read_npy_text(*stream, header, "'x.npy'");
}

std::string npy_refusal(const std::string& bytes) {
  return message_of<DataError>([&] { read_from(bytes); });
}

void expect_cube(const NdArray& array) {
  ASSERT_EQ(array.dtype(), DType::kF32);
  ASSERT_EQ(array.shape(), (std::vector<std::size_t>{2, 3, 4}));
  const auto* values = array.as<float>();
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 3; ++j) {
      for (int k = 0; k < 4; ++k) {
        EXPECT_EQ(*values++, static_cast<float>(100 * i + 10 * j + k));
      }
    }
  }
}

TEST(Npy, reads_every_version_order_and_endianness_of_numpy) {
  for (const char* name :
       {"cube_c.npy", "cube_fortran.npy", "cube_fortran_big.npy", "version2.npy", "version3.npy"}) {
    SCOPED_TRACE(name);
    expect_cube(read_npy(vector_path(name)));
  }
}

TEST(Npy, reads_scalars_and_empty_arrays) {
  const NdArray scalar = read_npy(vector_path("scalar.npy"));
  EXPECT_TRUE(scalar.shape().empty());
  EXPECT_EQ(scalar.as<double>()[0], 2.5);
  const NdArray empty = read_npy(vector_path("empty.npy"));
  EXPECT_EQ(empty.shape(), (std::vector<std::size_t>{0, 3}));
  EXPECT_EQ(empty.size(), 0U);
}

TEST(Npy, converts_fortran_order_of_any_rank) {
  for (const std::vector<std::size_t>& shape : std::vector<std::vector<std::size_t>>{
           {1, 7}, {70, 3}, {3, 70}, {1, 40, 3}, {33, 1, 2}, {2, 3, 4, 5}, {17, 2, 1, 3, 2}}) {
    NdArray expected(DType::kI32, shape);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      expected.as<std::int32_t>()[i] = static_cast<std::int32_t>(i);
    }
    // Element i of C order stands at the place its indices give it in Fortran order.
    std::vector<std::int32_t> fortran(expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      std::size_t rest = i;
      std::size_t place = 0;
      for (std::size_t axis = shape.size(); axis-- > 0;) {
        std::size_t stride = 1;
        for (std::size_t before = 0; before < axis; ++before) stride *= shape[before];
        place += rest % shape[axis] * stride;
        rest /= shape[axis];
      }
      fortran[place] = static_cast<std::int32_t>(i);
    }
    std::string head = npy_head(DType::kI32, shape);
    head.replace(head.find("False"), 5, "True ");
    const NdArray array =
        read_from(head + std::string(reinterpret_cast<const char*>(fortran.data()),
                                     fortran.size() * sizeof(std::int32_t)));
    EXPECT_EQ(array.shape(), shape);
    EXPECT_EQ(std::memcmp(array.bytes(), expected.bytes(), expected.byte_size()), 0)
        << expected.shape_text();
  }
}

TEST(Npy, round_trips_and_aligns_the_elements) {
  const TemporaryFolder folder;
  NdArray array(DType::kF64, {2, 2});
  for (std::size_t i = 0; i < 4; ++i) array.as<double>()[i] = 0.1 * static_cast<double>(i);
  write_npy(folder.file("x.npy"), array);
  const NdArray back = read_npy(folder.file("x.npy"));
  EXPECT_EQ(back.dtype(), DType::kF64);
  EXPECT_EQ(back.shape(), array.shape());
  EXPECT_EQ(std::memcmp(back.bytes(), array.bytes(), array.byte_size()), 0);
  for (std::size_t rank = 0; rank < 12; ++rank) {
    EXPECT_EQ(npy_head(DType::kU8, std::vector<std::size_t>(rank, 10)).size() % 64, 0U);
  }
}

TEST(Npy, writes_the_bytes_numpy_writes) {
  const TemporaryFolder folder;
  write_npy(folder.file("x.npy"), read_npy(vector_path("cube_c.npy")));
  EXPECT_EQ(test::file_bytes(folder.file("x.npy")), test::file_bytes(vector_path("cube_c.npy")));
}

TEST(Npy, bool_bytes_other_than_one_count_as_true) {
  const NdArray array = read_from(
      npy_file("{'descr':'|b1','fortran_order':False,'shape':(3,)}", {'\0', '\x01', '\x7F'}));
  EXPECT_EQ(array.dtype(), DType::kBool);
  EXPECT_EQ(std::memcmp(array.bytes(), "\0\1\1", 3), 0);
}

TEST(Npy, text_round_trips) {
  const std::vector<std::string> texts{"", "a", "Röntgen", "肺炎", "😀 x", std::string("a\0b", 3)};
  EXPECT_EQ(read_text_from(npy_text(texts)), texts);
  EXPECT_EQ(read_text_from(npy_text({})), std::vector<std::string>{});
  EXPECT_TRUE(contains(message_of<DataError>([] { npy_text({std::string("a\0", 2)}); }),
                       "ends in a NUL character"));
  EXPECT_TRUE(contains(message_of<DataError>([] { npy_text({"\xFF"}); }), "is not UTF-8"));
}

TEST(Npy, refuses_unreadable_text_with_its_index) {
  std::string bytes = npy_text({"ab", "cd"});
  bytes[bytes.size() - 1] = '\x7F';
  EXPECT_TRUE(contains(message_of<DataError>([&] { read_text_from(bytes); }),
                       "'x.npy' has an unreadable element at index 1: "));
  const std::string matrix =
      npy_file("{'descr':'|S1','fortran_order':False,'shape':(2,2)}", "abcd");
  EXPECT_EQ(message_of<DataError>([&] { read_text_from(matrix); }),
            "'x.npy' has shape (2, 2), but text must be one-dimensional");
}

TEST(Npy, text_and_numbers_are_not_mistaken_for_each_other) {
  EXPECT_EQ(npy_refusal(npy_text({"a"})), "'x.npy' holds text where numbers are expected");
  const std::string numbers = npy_file("{'descr':'|u1','fortran_order':False,'shape':(1,)}", "a");
  EXPECT_TRUE(contains(message_of<DataError>([&] { read_text_from(numbers); }),
                       "'x.npy' holds uint8 where text is expected"));
}

TEST(Npy, the_dict_may_come_in_any_order_and_spacing) {
  for (const char* text :
       {"{'descr': '<f4', 'fortran_order': True, 'shape': (3, 4), }   \n",
        "{\"shape\":(3,4,),\"descr\":\"<f4\",\"fortran_order\":True}",
        "{ 'fortran_order' : True ,\t'shape' : ( 3L , 4L ) , 'descr' : '<f4' }\n"}) {
    const NpyDict dict = parse_npy_dict(text, "x");
    EXPECT_EQ(dict.descr, "<f4");
    EXPECT_TRUE(dict.fortran_order);
    EXPECT_EQ(dict.shape, (std::vector<std::size_t>{3, 4}));
  }
  EXPECT_TRUE(parse_npy_dict("{'descr':'','fortran_order':False,'shape':()}", "x").shape.empty());
}

TEST(Npy, the_dict_is_parsed_strictly) {
  for (const char* text :
       {"", "{", "{}", "{'descr': '<f4', 'fortran_order': False}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (3)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-3,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': [3]}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (3,,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
        "{'descr': '<f4', 'fortran_order': 0, 'shape': (3,)}",
        "{'descr': '<f4', 'fortran_order': Falsehood, 'shape': (3,)}",
        "{'descr': '<f4, 'fortran_order': False, 'shape': (3,)}",
        "{'descr': '\\x3cf4', 'fortran_order': False, 'shape': (3,)}",
        "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (3,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), 'extra': 1}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (3,)} x",
        "{'descr': '<f4' 'fortran_order': False, 'shape': (3,)}",
        "__import__('os').system('true')"}) {
    const std::string message = message_of<DataError>([&] { parse_npy_dict(text, "'x.npy'"); });
    EXPECT_TRUE(contains(message, "'x.npy' has a damaged head: ")) << text;
  }
}

TEST(Npy, refuses_types_it_does_not_know) {
  for (const char* descr : {"<c8", "<f16", "<M8[D]", "|V8", "<i3", "|f4", "<U0", "|S0", "<U", "",
                            "<", "<f4x", "<U99999999999"}) {
    const std::string message = npy_refusal(
        npy_file(std::string("{'descr':'") + descr + "','fortran_order':False,'shape':(0,)}", ""));
    EXPECT_TRUE(contains(message, "'x.npy' has the type '" + std::string(descr) + "', but only "));
  }
}

TEST(Npy, refuses_sizes_that_disagree_with_the_data) {
  EXPECT_EQ(npy_refusal(npy_file("{'descr':'<f4','fortran_order':False,'shape':(3,)}", "12345678")),
            "'x.npy' declares the shape (3,), which needs 12 bytes, but 8 bytes follow");
  EXPECT_EQ(npy_refusal(npy_file("{'descr':'|u1','fortran_order':False,'shape':()}", "12")),
            "'x.npy' declares the shape (), which needs 1 bytes, but 2 bytes follow");
  EXPECT_EQ(npy_refusal(npy_file(
                "{'descr':'<f8','fortran_order':False,'shape':(4294967296, 4294967296)}", "")),
            "'x.npy' declares the shape (4294967296, 4294967296), which is too large to address");
}

TEST(Npy, refuses_a_damaged_start) {
  EXPECT_EQ(npy_refusal(""), "'x.npy' ends before its head does");
  EXPECT_EQ(npy_refusal("GIF89a, say"), "'x.npy' is not in the npy format");
  std::string file = npy_file("{'descr':'|u1','fortran_order':False,'shape':(1,)}", "a");
  file[6] = 4;
  EXPECT_EQ(npy_refusal(file),
            "'x.npy' has npy version 4.0, but only 1.0, 2.0 and 3.0 are accepted");
  file[6] = 2;
  EXPECT_TRUE(contains(npy_refusal(file), "'x.npy' has a damaged head: its length is given as "));
}

}  // namespace
}  // namespace cubcal
