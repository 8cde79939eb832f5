#include "cubcal/io/mapped_input.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <thread>
#include <vector>

#include "cubcal/core/error.h"
#include "io/file_fixtures.h"

namespace cubcal {
namespace {

using test::contains;
using test::message_of;
using test::TemporaryFolder;

class MappedFile : public testing::Test {
 protected:
  void SetUp() override {
    write_file_atomically(path(), std::string(10000, 'a'));
    descriptor_ = ::open(path().c_str(), O_RDONLY | O_CLOEXEC);
    ASSERT_GE(descriptor_, 0);
  }
  void TearDown() override {
    ::close(descriptor_);
    try {
      check_mapped_inputs();
    } catch (const DataError&) {
      return;  // what this test changed is told of, and does not concern the next
    }
  }

  std::string path() const { return folder_.file("x.npz"); }
  std::shared_ptr<std::byte> map() const { return map_input(descriptor_, path(), 5000, 100); }
  void overwrite(const std::string& bytes) const {
    // The kernel's clock ticks every few milliseconds.
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    const int writer = ::open(path().c_str(), O_WRONLY | O_CLOEXEC);
    ASSERT_EQ(::pwrite(writer, bytes.data(), bytes.size(), 0), ssize_t(bytes.size()));
    ::close(writer);
  }

  TemporaryFolder folder_;
  int descriptor_ = -1;
};

TEST_F(MappedFile, HoldsTheBytes) {
  const std::shared_ptr<std::byte> memory = map();
  ASSERT_TRUE(memory);
  EXPECT_EQ(static_cast<char>(memory.get()[99]), 'a');
  EXPECT_NO_THROW(check_mapped_inputs());
  EXPECT_EQ(std::string(mapped_input_at(memory.get() + 50)), path());
  EXPECT_EQ(mapped_input_at(this), nullptr);
  EXPECT_FALSE(map_input(descriptor_, path(), 9990, 11)) << "beyond the end";
}

TEST_F(MappedFile, AChangeIsTold) {
  const std::shared_ptr<std::byte> memory = map();
  overwrite("b");
  EXPECT_TRUE(contains(message_of<DataError>([] { check_mapped_inputs(); }),
                       path() + "' was changed while it was being read"));
  EXPECT_THROW(write_file_atomically(folder_.file("result"), "x"), DataError);
  EXPECT_FALSE(std::filesystem::exists(folder_.file("result"))) << "nothing is made of it";
}

TEST_F(MappedFile, AChangeIsToldOnceMoreAfterTheMemoryIsReleased) {
  map();
  EXPECT_NO_THROW(check_mapped_inputs());
  {
    const std::shared_ptr<std::byte> memory = map();
    overwrite("b");
  }
  EXPECT_THROW(check_mapped_inputs(), DataError);
  EXPECT_NO_THROW(check_mapped_inputs());
}

TEST_F(MappedFile, ReplacingTheFileUnderItsNameIsNoChange) {
  const std::shared_ptr<std::byte> memory = map();
  write_file_atomically(path(), "other");
  EXPECT_NO_THROW(check_mapped_inputs());
  EXPECT_EQ(static_cast<char>(memory.get()[0]), 'a');
}

TEST_F(MappedFile, TheNumberOfMappingsIsBounded) {
  std::vector<std::shared_ptr<std::byte>> held;
  while (auto memory = map()) held.push_back(memory);
  EXPECT_GE(held.size(), 32U);
  held.pop_back();
  EXPECT_TRUE(map());
}

}  // namespace
}  // namespace cubcal
