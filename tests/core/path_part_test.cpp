#include "cubcal/core/path_part.h"

#include <gtest/gtest.h>

namespace cubcal {
namespace {

TEST(PathPart, IsOneNameInAFolder) {
  for (const char* name : {"chest", "my recipe", "cub-beta0.1", "25%", "...", "\xc3\xbc"}) {
    EXPECT_TRUE(is_path_part(name)) << name;
  }
  for (const std::string& name :
       {std::string(), std::string("."), std::string(".."), std::string("a/b"), std::string("/a"),
        std::string("a\nb"), std::string("a\0b", 3), std::string(101, 'a')}) {
    EXPECT_FALSE(is_path_part(name)) << name;
  }
}

}  // namespace
}  // namespace cubcal
