#include "cubcal_nn/dicomnet/ae_address.h"

#include <gtest/gtest.h>

#include "cubcal/core/error.h"

namespace cubcal {
namespace {

TEST(AeAddress, IsReadAndWritten) {
  const AeAddress address = parse_ae_address("MY PACS@pacs.example:104");
  EXPECT_EQ(address.title, "MY PACS");
  EXPECT_EQ(address.host, "pacs.example");
  EXPECT_EQ(address.port, 104);
  for (const std::string text : {"PACS@10.0.0.7:4242", "A@[::1]:65535"}) {
    EXPECT_EQ(ae_address_text(parse_ae_address(text)), text);
  }
  EXPECT_EQ(parse_ae_address("A@[::1]:1").host, "::1");
}

TEST(AeAddress, RefusesAnythingElse) {
  for (const std::string text :
       {"", "PACS", "PACS@host", "@host:104", "PACS@:104", "PACS@host:0", "PACS@host:65536",
        "PACS@host:1x", "PACS@::1:104", "PACS host:104", "TITLE-OF-17-CHARS@host:1", "A\\B@host:1",
        "A\n@host:1", "A@ho st:1", " A@host:1"}) {
    EXPECT_THROW(parse_ae_address(text), ArgumentError) << text;
  }
}

}  // namespace
}  // namespace cubcal
