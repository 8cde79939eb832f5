#include "cubcal/weights/safetensors.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>

#include "cubcal/core/error.h"
#include "cubcal/core/half.h"
#include "cubcal/io/atomic_file.h"
#include "cubcal/weights/state_dict.h"

namespace cubcal {
namespace {

const std::string kHand = CUBCAL_TEST_DATA "/weights/hand.safetensors";

std::string with_header(const std::string& header, const std::string& data = "") {
  const std::uint64_t size = header.size();
  std::string bytes(sizeof size, '\0');
  std::memcpy(bytes.data(), &size, sizeof size);
  return bytes + header + data;
}

TensorFile parse(const std::string& bytes) {
  return read_safetensors(MemorySource("w.safetensors", bytes));
}

std::string complaint(const std::string& bytes) {
  try {
    parse(bytes);
  } catch (const DataError& error) {
    return error.what();
  }
  return "(accepted)";
}

std::string header_of(const std::string& dtype, const std::string& shape,
                      const std::string& offsets) {
  return "{\"a\":{\"dtype\":\"" + dtype + "\",\"shape\":" + shape + ",\"data_offsets\":" + offsets +
         "}}";
}

std::string temporary(const std::string& name) { return ::testing::TempDir() + name; }

NdArray floats(std::vector<std::size_t> shape, float first) {
  NdArray array(DType::kF32, std::move(shape));
  for (std::size_t i = 0; i < array.size(); ++i) {
    array.as<float>()[i] = first + static_cast<float>(i);
  }
  return array;
}

TEST(Safetensors, ReadsEveryTypeOfAFileMadeElsewhere) {
  const TensorFile file = read_safetensors(kHand);
  EXPECT_EQ(file.metadata.at("format"), "pt");
  ASSERT_EQ(file.tensors.size(), 14u);
  EXPECT_EQ(file.tensors.entries()[0].name, "conv1.mu_kernel");
  EXPECT_EQ(file.tensors.entries()[13].name, "int");
  const NdArray& kernel = file.tensors.at("conv1.mu_kernel");
  EXPECT_EQ(kernel.shape(), (std::vector<std::size_t>{2, 3, 3, 3}));
  EXPECT_EQ(kernel.as<float>()[53], 53.0f / 8);
  EXPECT_EQ(file.tensors.at("bn1.num_batches_tracked").as<std::int64_t>()[0], 123456789012);
  EXPECT_EQ(file.tensors.at("bn1.num_batches_tracked").shape().size(), 0u);
  EXPECT_EQ(to_float(file.tensors.at("fc.mu_bias").as<Half>()[2]), 65504.0f);
  const NdArray& widened = file.tensors.at("fc.rho_bias");
  EXPECT_EQ(widened.dtype(), DType::kF32);
  EXPECT_EQ(widened.as<float>()[1], 3.0f);
  EXPECT_EQ(widened.as<float>()[3], 0.10009765625f);  // 0.1 rounded to bfloat16
  EXPECT_EQ(file.tensors.at("mask").dtype(), DType::kBool);
  EXPECT_EQ(file.tensors.at("empty").size(), 0u);
  EXPECT_EQ(file.tensors.at("short").as<std::int16_t>()[0], -300);
}

TEST(Safetensors, WhatIsWrittenReadsBack) {
  StateDict tensors;
  tensors.add("b.weight", floats({2, 2}, 1));
  NdArray counter(DType::kI64, {});
  counter.as<std::int64_t>()[0] = -5;
  tensors.add("a.counter", std::move(counter));
  NdArray mask(DType::kBool, {3});
  std::memcpy(mask.bytes(), "\1\0\1", 3);
  tensors.add("\xc3\xa9 \"quoted\"", std::move(mask));
  tensors.add("none", NdArray(DType::kF64, {0, 4}));
  const std::string path = temporary("round.safetensors");
  write_safetensors(path, tensors, {{"architecture", "resnet34"}, {"k", "v\n"}});

  const TensorFile back = read_safetensors(path);
  EXPECT_EQ(back.metadata.at("architecture"), "resnet34");
  EXPECT_EQ(back.metadata.at("k"), "v\n");
  ASSERT_EQ(back.tensors.size(), 4u);
  for (const auto& [name, values] : tensors) {
    const NdArray& read = back.tensors.at(name);
    EXPECT_EQ(read.dtype(), values.dtype());
    EXPECT_EQ(read.shape(), values.shape());
    EXPECT_EQ(std::memcmp(read.bytes(), values.bytes(), values.byte_size()), 0);
  }
}

TEST(Safetensors, BytesDoNotDependOnTheOrderGiven) {
  const NdArray one = floats({3}, 1), two = floats({2}, 7);
  NdArray byte(DType::kU8, {1});
  byte.as<std::uint8_t>()[0] = 9;
  const TensorView a{"a", one.dtype(), one.shape(), one.bytes()};
  const TensorView b{"b", two.dtype(), two.shape(), two.bytes()};
  const TensorView c{"0", byte.dtype(), byte.shape(), byte.bytes()};
  const std::string first = temporary("first.safetensors"),
                    second = temporary("second.safetensors");
  write_safetensors(first, {a, b, c});
  write_safetensors(second, {c, b, a});
  const std::string bytes = read_text_file(first, 4096);
  EXPECT_EQ(bytes, read_text_file(second, 4096));
  const TensorFile file = read_safetensors(first);
  EXPECT_EQ(file.tensors.entries()[0].name, "a");
  EXPECT_EQ(file.tensors.entries()[2].name, "0");  // the smallest elements come last
  std::uint64_t header = 0;
  std::memcpy(&header, bytes.data(), sizeof header);
  EXPECT_EQ(header % 8, 0u);
}

TEST(Safetensors, RefusesToWriteWhatCannotBeReadBack) {
  const NdArray one = floats({1}, 1);
  const TensorView a{"a", one.dtype(), one.shape(), one.bytes()};
  TensorView reserved = a, broken = a;
  reserved.name = "__metadata__";
  broken.name = "\xff";
  const std::string path = temporary("never.safetensors");
  EXPECT_THROW(write_safetensors(path, {a, a}), ArgumentError);
  EXPECT_THROW(write_safetensors(path, {reserved}), ArgumentError);
  EXPECT_THROW(write_safetensors(path, {broken}), ArgumentError);
  EXPECT_THROW(read_safetensors(path), IoError);
}

TEST(Safetensors, SaysWhatIsWrongWithAHeader) {
  const std::string four(4, '\0');
  EXPECT_EQ(complaint("1234567"), "'w.safetensors' is too short for a safetensors file");
  EXPECT_EQ(complaint(std::string(8, '\xff')),
            "the header of 'w.safetensors' claims 18446744073709551615 bytes, more than the file "
            "holds or the format allows");
  EXPECT_EQ(complaint(with_header("{,}")),
            "the header of 'w.safetensors' is not valid JSON at byte 2");
  EXPECT_EQ(complaint(with_header("[]")), "the header of 'w.safetensors' is not a JSON object");
  EXPECT_EQ(complaint(with_header("{\"a\":[[[[1]]]]}")),
            "the header of 'w.safetensors' is nested too deeply: at most 3 levels are accepted");
  EXPECT_EQ(complaint(with_header("{\"a\":1,\"a\":2}")),
            "the header of 'w.safetensors' has the key 'a' twice");
  EXPECT_EQ(complaint(with_header("{\"__metadata__\":{\"n\":3}}")),
            "the metadata entry 'n' of 'w.safetensors' is not a string");
  EXPECT_EQ(complaint(with_header("{\"a\":{\"dtype\":\"F32\"}}")),
            "tensor 'a' of 'w.safetensors' must be described by dtype, shape and data_offsets "
            "alone");
  EXPECT_EQ(complaint(with_header(header_of("F8_E4M3", "[4]", "[0,4]"), four)),
            "the dtype of tensor 'a' of 'w.safetensors' is 'F8_E4M3'; accepted are F16, BF16, F32, "
            "F64, I8, I16, I32, I64, U8, U16, U32, U64, BOOL");
  EXPECT_EQ(complaint(with_header(header_of("F32", "[-1]", "[0,4]"), four)),
            "the shape of tensor 'a' of 'w.safetensors' is not a list of non-negative integers");
  EXPECT_EQ(complaint(with_header(header_of("F32", "[1]", "[0,4,5]"), four)),
            "the data_offsets of tensor 'a' of 'w.safetensors' are not two non-negative integers");
}

TEST(Safetensors, SaysWhatIsWrongWithByteRanges) {
  const std::string four(4, '\0');
  EXPECT_EQ(complaint(with_header(header_of("F32", "[2]", "[0,8]"), four)),
            "the bytes 0 to 8 of tensor 'a' of 'w.safetensors' are not within the 4 bytes of data");
  EXPECT_EQ(complaint(with_header(header_of("F32", "[2]", "[0,4]"), four)),
            "tensor 'a' of 'w.safetensors' has 4 bytes but its shape and dtype ask for 8");
  EXPECT_EQ(
      complaint(with_header(header_of("F32", "[4294967296,4294967296]", "[0,4]"), four)),
      "tensor 'a' of 'w.safetensors' has 4 bytes but its shape and dtype ask for more than can be "
      "addressed");
  EXPECT_EQ(complaint(with_header(header_of("U8", "[3]", "[0,3]"), four)),
            "the last 1 bytes of 'w.safetensors' belong to no tensor");
  EXPECT_EQ(complaint(with_header(header_of("U8", "[3]", "[1,4]"), four)),
            "bytes 0 to 1 of the data of 'w.safetensors' belong to no tensor");
  const std::string overlap =
      "{\"a\":{\"dtype\":\"U8\",\"shape\":[3],\"data_offsets\":[0,3]},"
      "\"b\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[2,4]}}";
  EXPECT_EQ(complaint(with_header(overlap, four)),
            "tensor 'b' of 'w.safetensors' overlaps another tensor");
  EXPECT_EQ(complaint(with_header(header_of("BOOL", "[1]", "[0,1]"), "\2")),
            "bool tensor 'a' of 'w.safetensors' holds the byte 2; only 0 and 1 are accepted");
}

}  // namespace
}  // namespace cubcal
