#include "cubcal/io/base64.h"

#include <gtest/gtest.h>

#include "cubcal/core/error.h"

namespace cubcal::test {
namespace {

// The vectors of RFC 4648, section 10.
TEST(Base64, IsThatOfTheStandard) {
  const std::pair<const char*, const char*> vectors[] = {{"", ""},
                                                         {"f", "Zg=="},
                                                         {"fo", "Zm8="},
                                                         {"foo", "Zm9v"},
                                                         {"foob", "Zm9vYg=="},
                                                         {"fooba", "Zm9vYmE="},
                                                         {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, text] : vectors) {
    EXPECT_EQ(base64(bytes), text);
    EXPECT_EQ(base64_bytes(text), bytes);
  }
  EXPECT_EQ(base64_bytes("Zm8"), "fo");
}

TEST(Base64, EveryByteComesBack) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  EXPECT_EQ(base64_bytes(base64(bytes)), bytes);
}

TEST(Base64, RefusesWhatIsNone) {
  for (const char* text : {"Z", "Zm9vY", "Zm 9", "Zm=9", "Zg===", "Zm9-"}) {
    EXPECT_THROW(base64_bytes(text), DataError) << text;
  }
}

}  // namespace
}  // namespace cubcal::test
