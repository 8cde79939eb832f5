#include "cubcal/io/crc32.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "cubcal/core/parallel.h"

namespace cubcal {
namespace {

ArrayView<const std::byte> bytes_of(const std::string& text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

TEST(Crc32, matches_the_published_check_value) {
  EXPECT_EQ(crc32_of(bytes_of("123456789")), 0xCBF43926U);
  EXPECT_EQ(crc32_of(bytes_of("")), 0U);
  EXPECT_EQ(crc32_of(bytes_of("6789"), crc32_of(bytes_of("12345"))), 0xCBF43926U);
}

TEST(Crc32, does_not_depend_on_blocks_or_threads) {
  std::string text(1000003, '\0');
  for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>(i * i >> 3);
  set_thread_count(1);
  const std::uint32_t alone = crc32_of(bytes_of(text));
  set_thread_count(4);
  EXPECT_EQ(crc32_of(bytes_of(text)), alone);
  std::vector<std::byte> copy(text.size());
  const std::uint32_t filled =
      crc32_while_filling({copy.data(), copy.size()}, 0, [&](std::size_t first, std::size_t last) {
        std::memcpy(copy.data() + first, text.data() + first, last - first);
      });
  set_thread_count(0);
  EXPECT_EQ(filled, alone);
  EXPECT_EQ(std::memcmp(copy.data(), text.data(), text.size()), 0);
  std::uint32_t bytewise = 0;
  for (std::size_t i = 0; i < text.size(); i += 1000) {
    bytewise = crc32_of(bytes_of(text.substr(i, 1000)), bytewise);
  }
  EXPECT_EQ(bytewise, alone);
}

}  // namespace
}  // namespace cubcal
