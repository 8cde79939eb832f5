#include "cubcal/io/torch_pickle.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>

#include "cubcal/core/error.h"
#include "cubcal/io/atomic_file.h"
#include "cubcal/weights/safetensors.h"
#include "cubcal/weights/state_dict.h"

namespace cubcal {
namespace {

const std::string kFolder = CUBCAL_TEST_DATA "/weights/";

std::string file_complaint(const std::string& name, const StateDictOptions& options = {}) {
  try {
    read_state_dict(kFolder + name, options);
  } catch (const Error& error) {
    std::string text = error.what();
    const std::size_t folder = text.find(kFolder);
    return folder == std::string::npos ? text : text.erase(folder, kFolder.size());
  }
  return "(accepted)";
}

std::string pickle_complaint(const std::string& bytes) {
  try {
    read_torch_pickle(bytes, "'x'");
  } catch (const DataError& error) {
    return error.what();
  }
  return "(accepted)";
}

class Container : public ::testing::TestWithParam<const char*> {};

TEST_P(Container, HoldsTheTensorsOfTheSafetensorsFile) {
  const StateDict expected = read_safetensors(kFolder + "hand.safetensors").tensors;
  const StateDict read = read_state_dict(kFolder + GetParam());
  ASSERT_EQ(read.size(), expected.size());
  for (std::size_t i = 0; i < read.size(); ++i) {
    const NamedArray& a = read.entries()[i];
    const NamedArray& b = expected.entries()[i];
    EXPECT_EQ(a.name, b.name);
    EXPECT_EQ(a.values.dtype(), b.values.dtype()) << a.name;
    EXPECT_EQ(a.values.shape(), b.values.shape()) << a.name;
    ASSERT_EQ(a.values.byte_size(), b.values.byte_size()) << a.name;
    EXPECT_EQ(std::memcmp(a.values.bytes(), b.values.bytes(), a.values.byte_size()), 0) << a.name;
  }
}

TEST_P(Container, ViewsAreUnrolled) {
  const StateDict read = read_state_dict(kFolder + GetParam());
  const NdArray& transposed = read.at("fc.mu_weight");
  EXPECT_EQ(transposed.shape(), (std::vector<std::size_t>{4, 3}));
  EXPECT_EQ(transposed.as<float>()[1], 4.0f);
  EXPECT_EQ(transposed.as<float>()[11], 11.0f);
  EXPECT_EQ(read.at("fc.rho_weight").as<float>()[3], 8.0f);
}

TEST_P(Container, EveryCutIsRefused) {
  const std::string bytes = read_text_file(kFolder + GetParam(), 1 << 20);
  for (std::size_t size = 0; size < bytes.size(); size += 7) {
    const std::string cut = bytes.substr(0, size);
    EXPECT_THROW(read_state_dict(std::make_shared<MemorySource>("cut", cut)), DataError) << size;
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, Container,
                         ::testing::Values("zip.pth", "legacy.pth", "protocol4.pth",
                                           "hand.safetensors"));

TEST(StateDictFile, ACheckpointNeedsAChoice) {
  EXPECT_EQ(
      file_complaint("checkpoint.pth"),
      "'checkpoint.pth' is not a state dict, since entry 'epoch' is not a tensor; choose the key "
      "that holds the state dict, from 'epoch', 'best', 'state_dict' (7 tensors), 'names'");
  EXPECT_EQ(file_complaint("checkpoint.pth", {"model"}),
            "the key 'model' of 'checkpoint.pth' does not exist; its keys are 'epoch', 'best', "
            "'state_dict' (7 tensors), 'names'");
  EXPECT_EQ(file_complaint("checkpoint.pth", {"epoch"}).substr(0, 49),
            "the key 'epoch' of 'checkpoint.pth' is not a dict");
  const StateDict chosen = read_state_dict(kFolder + "checkpoint.pth", {"state_dict"});
  EXPECT_EQ(chosen.entries()[0].name, "0.weight");
  EXPECT_EQ(chosen.at("0.weight").as<float>()[1], 0.25f);
  EXPECT_EQ(chosen.at("1.num_batches_tracked").dtype(), DType::kI64);
  EXPECT_THROW(read_state_dict(kFolder + "hand.safetensors", {"state_dict"}), ArgumentError);
  EXPECT_THROW(chosen.at("2.weight"), DataError);
  EXPECT_EQ(chosen.find("2.weight"), nullptr);
}

TEST(StateDictFile, RunsNoCode) {
  EXPECT_EQ(file_complaint("numpy.pth"),
            "'numpy.pth' asks for the Python object 'numpy.core.multiarray.scalar', which is "
            "refused: loading runs no code, and only tensors, numbers, strings, lists, tuples and "
            "dictionaries are accepted");
  EXPECT_NE(pickle_complaint("\x80\x02"
                             "cos\nsystem\nX\x02\0\0\0ls\x85R.")
                .find("'os.system'"),
            std::string::npos);
  EXPECT_NE(file_complaint("script.pt").find("is a TorchScript program"), std::string::npos);
}

TEST(StateDictFile, RefusesWhatIsNoStateDict) {
  EXPECT_EQ(file_complaint("tensor.pth"),
            "'tensor.pth' holds no dictionary of tensors, which a state dict is");
  EXPECT_EQ(file_complaint("expanded.pth"),
            "tensor 'weight' of 'expanded.pth' is an expanded view, 1000 elements of a storage of "
            "1; save a copy of it instead");
  EXPECT_THROW(read_state_dict(kFolder + "absent.pth"), IoError);
  const std::string text = "neither of them";
  try {
    read_state_dict(std::make_shared<MemorySource>("a.pth", text));
    FAIL();
  } catch (const DataError& error) {
    EXPECT_STREQ(error.what(),
                 "'a.pth' is neither a safetensors file nor a PyTorch state dict (.pth, .pt) nor a "
                 "TensorFlow.js layers model");
  }
}

using namespace std::string_literals;

/// A storage of `size` floats, then _rebuild_tensor_v2(storage, offset, (extent,), (stride,)).
std::string tensor_pickle(int size, const std::string& offset, const std::string& extent,
                          const std::string& stride) {
  return "\x80\x02"
         "ctorch._utils\n_rebuild_tensor_v2\n("
         "(X\x07\0\0\0storage"
         "ctorch\nFloatStorage\nX\x01\0\0\0"s +
         "0X\x03\0\0\0cpu"s + "K" + static_cast<char>(size) + "tQ" + offset + extent + "\x85" +
         stride + "\x85\x89}tR.";
}

/// A file of the older container with one entry 'w', a tensor of `elements` stored floats.
std::string legacy_file(const std::string& tensor, int elements) {
  const std::string magic = "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.";
  const std::string version = "\x80\x02M\xe9\x03.";
  const std::string system = "\x80\x02}U\x0dlittle_endian\x88s.";
  const std::string inner = tensor.substr(2, tensor.size() - 3);  // without PROTO and STOP
  const std::string count = {static_cast<char>(elements), 0, 0, 0, 0, 0, 0, 0};
  return magic + version + system + "\x80\x02}U\x01w" + inner + "s." +
         "\x80\x02]U\x01"
         "0a." +
         count + std::string(static_cast<std::size_t>(4 * elements), '\0');
}

std::string legacy_complaint(const std::string& bytes) {
  try {
    read_state_dict(std::make_shared<MemorySource>("l.pth", bytes));
  } catch (const DataError& error) {
    return error.what();
  }
  return "(accepted)";
}

TEST(TorchTensor, MustLieInItsStorage) {
  EXPECT_EQ(legacy_complaint(legacy_file(tensor_pickle(6, "K\x01", "K\x03", "K\x02"), 6)),
            "(accepted)");
  EXPECT_EQ(legacy_complaint(legacy_file(tensor_pickle(5, "K\x01", "K\x03", "K\x02"), 5)),
            "tensor 'w' of 'l.pth' reaches element 5 of a storage of 5");
  const std::string huge = "\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7f";
  EXPECT_EQ(legacy_complaint(legacy_file(tensor_pickle(6, "K\x01", "K\x03", huge), 6)),
            "tensor 'w' of 'l.pth' is too large to address");
  EXPECT_EQ(legacy_complaint(legacy_file(tensor_pickle(6, huge, "K\x03", "K\x02"), 6)),
            "tensor 'w' of 'l.pth' reaches element 9223372036854775811 of a storage of 6");
}

TEST(TorchTensor, StoragesMustHaveTheirSize) {
  const std::string tensor = tensor_pickle(6, "K\x01", "K\x03", "K\x02");
  EXPECT_EQ(legacy_complaint(legacy_file(tensor, 7)),
            "storage '0' of 'l.pth' has 7 elements where its tensors need 6, or is cut short");
  std::string other = legacy_file(tensor, 6);
  other.replace(other.find("little_endian\x88"), 14, "little_endian\x89");
  EXPECT_EQ(legacy_complaint(other),
            "'l.pth' was not saved in little-endian byte order, the only one accepted");
  EXPECT_EQ(legacy_complaint("\x80\x02K\x01.    "),
            "'l.pth' is a pickle, but PyTorch did not write it");
}

TEST(TorchPickle, ReadsATensorDescription) {
  const Pickle pickle = read_torch_pickle(tensor_pickle(9, "K\x01", "K\x03", "K\x02"), "'x'");
  ASSERT_EQ(pickle.top().kind, PickleValue::Kind::kTensor);
  EXPECT_EQ(pickle.tensors[0].offset, 1u);
  EXPECT_EQ(pickle.tensors[0].shape, std::vector<std::uint64_t>{3});
  EXPECT_EQ(pickle.tensors[0].stride, std::vector<std::uint64_t>{2});
  EXPECT_EQ(pickle.storages[0].key, "0");
  EXPECT_EQ(pickle.storages[0].size, 9u);
}

TEST(TorchPickle, RefusesNegativeNumbersInATensor) {
  const std::string minus = "J\xff\xff\xff\xff";
  for (const std::string& bytes :
       {tensor_pickle(9, minus, "K\x03", "K\x02"), tensor_pickle(9, "K\x01", minus, "K\x02"),
        tensor_pickle(9, "K\x01", "K\x03", minus)}) {
    EXPECT_NE(pickle_complaint(bytes).find("that is not a non-negative integer"),
              std::string::npos);
  }
}

TEST(TorchPickle, ReadsNumbersAndText) {
  const Pickle pickle = read_torch_pickle(
      "\x80\x02(J\xfe\xff\xff\xff\x8a\x02\0\x80G?\xf8\0\0\0\0\0\0U\x01zNt."s, "'x'");
  ASSERT_EQ(pickle.top().items.size(), 5u);
  EXPECT_EQ(pickle.at(pickle.top().items[0]).integer, -2);
  EXPECT_EQ(pickle.at(pickle.top().items[1]).integer, -32768);
  EXPECT_EQ(pickle.at(pickle.top().items[2]).real, 1.5);
  EXPECT_EQ(pickle.at(pickle.top().items[3]).text, "z");
  EXPECT_EQ(pickle.at(pickle.top().items[4]).kind, PickleValue::Kind::kNone);
}

TEST(TorchPickle, AListMayContainItself) {
  const Pickle pickle = read_torch_pickle(
      "]q\x01h\x01"
      "a.",
      "'x'");
  EXPECT_EQ(pickle.top().items, std::vector<std::uint32_t>{pickle.root});
}

TEST(TorchPickle, RefusesDamagedPrograms) {
  EXPECT_EQ(pickle_complaint(""), "the pickle in 'x' is cut short (at byte 0)");
  EXPECT_EQ(pickle_complaint("."), "the pickle in 'x' takes from an empty stack (at byte 1)");
  EXPECT_EQ(pickle_complaint("NN."),
            "the pickle in 'x' ends with more than one object (at byte 3)");
  EXPECT_EQ(pickle_complaint("(0."), "the pickle in 'x' takes from an empty stack (at byte 2)");
  EXPECT_EQ(pickle_complaint("t."), "the pickle in 'x' closes a group it never opened (at byte 1)");
  EXPECT_EQ(pickle_complaint("h\x05."),
            "the pickle in 'x' refers to an object it did not store (at byte 2)");
  EXPECT_EQ(pickle_complaint("N(Nu."),
            "the pickle in 'x' adds items to an object that takes none (at byte 4)");
  EXPECT_EQ(pickle_complaint("}(Nu."),
            "the pickle in 'x' has a dictionary key without value (at byte 4)");
  EXPECT_EQ(pickle_complaint("\x8d"
                             "\xff\xff\xff\xff\xff\xff\xff\xff."),
            "the pickle in 'x' is cut short (at byte 9)");
  EXPECT_EQ(pickle_complaint("\x81"),
            "the pickle in 'x' uses opcode 129, which no state dict needs (at byte 1)");
  EXPECT_EQ(pickle_complaint("NN\x93."),
            "the pickle in 'x' names an object without a short text (at byte 3)");
  EXPECT_EQ(pickle_complaint("NQ."),
            "the pickle in 'x' has arguments that are not a short tuple (at byte 2)");
}

TEST(TorchPickle, ARememberedListCannotFillTheMemory) {
  // Three bytes per call copy a list of 100,000 pairs.
  std::string bytes =
      "ccollections\nOrderedDict\nq\x01"
      "0](";
  for (int i = 0; i < 100000; ++i) bytes += i == 0 ? "NN\x86q\x02" : "h\x02";
  bytes +=
      "e\x85q\x03"
      "0(";
  for (int i = 0; i < 100; ++i) bytes += "h\x01h\x03R";
  EXPECT_NE(pickle_complaint(bytes + "t.").find("holds too many items"), std::string::npos);
}

}  // namespace
}  // namespace cubcal
