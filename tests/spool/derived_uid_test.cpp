#include "cubcal/spool/derived_uid.h"

#include <gtest/gtest.h>

#include "cubcal/spool/dicom_uid.h"
#include "cubcal/spool/sha1.h"

namespace cubcal {
namespace {

std::string hex(const std::array<std::uint8_t, 20>& digest) {
  std::string text;
  for (const std::uint8_t each : digest) {
    text += "0123456789abcdef"[each >> 4U];
    text += "0123456789abcdef"[each & 15U];
  }
  return text;
}

TEST(Sha1, IsThatOfTheStandard) {  // the first three are examples of FIPS 180
  EXPECT_EQ(hex(sha1("abc")), "a9993e364706816aba3e25717850c26c9cd0d89d");
  EXPECT_EQ(hex(sha1("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
            "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
  EXPECT_EQ(hex(sha1(std::string(1000000, 'a'))), "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
  EXPECT_EQ(hex(sha1("")), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
}

// /usr/bin/python3 -c "import uuid; print('2.25.%d' % uuid.uuid5(uuid.NAMESPACE_OID, NAME).int)"
TEST(DerivedUid, IsThatOfPython) {
  EXPECT_EQ(derived_uid("1.2.3/0123456789abcdef"), "2.25.279419416739005598429831877753628057721");
  EXPECT_EQ(derived_uid(""), "2.25.13837052152308061008803972860701355855");
  EXPECT_EQ(derived_uid(std::string(300, 'x')), "2.25.40959999336306133758692196755015093302");
}

TEST(DerivedUid, IsAUidAndFollowsFromTheName) {
  for (int i = 0; i < 1000; ++i) {
    const std::string name = std::to_string(i);
    EXPECT_TRUE(is_dicom_uid(derived_uid(name)));
    EXPECT_NE(derived_uid(name), derived_uid(name + "0"));
  }
}

}  // namespace
}  // namespace cubcal
