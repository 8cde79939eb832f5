#include "cubcal/spool/dicom_uid.h"

#include <gtest/gtest.h>

#include <string>

namespace cubcal {
namespace {

TEST(DicomUid, TakesWhatDevicesWrite) {
  for (const std::string uid : {"1", "1.2.840.10008.1.1", "2.25.0", "1.02.3"}) {
    EXPECT_TRUE(is_dicom_uid(uid)) << uid;
  }
  EXPECT_TRUE(is_dicom_uid(std::string(64, '1')));
}

TEST(DicomUid, RefusesWhatCouldLeadElsewhere) {
  using namespace std::string_literals;
  for (const std::string& uid :
       {""s, "."s, ".."s, "1..2"s, ".1"s, "1."s, "../1"s, "1/2"s, "1.2 "s, "1.2\0"s, "1\n"s, "-1"s,
        "1.2a"s, "1.2\xc3\xa4"s, std::string(65, '1')}) {
    EXPECT_FALSE(is_dicom_uid(uid)) << uid;
  }
}

}  // namespace
}  // namespace cubcal
