#include "cubcal/node/object_intake.h"

#include <gtest/gtest.h>

#include "cli/program.h"
#include "cubcal/core/error.h"
#include "cubcal/image/image_file.h"
#include "cubcal/node/dicom_file_head.h"
#include "cubcal/node/image_identity.h"
#include "node/dicom_images.h"

namespace cubcal {
namespace {

using test::dicom_image;
using test::ScratchFolder;

constexpr const char* kCapture = "1.2.840.10008.5.1.4.1.1.7";
constexpr const char* kExplicit = "1.2.840.10008.1.2.1";

class ObjectIntake : public testing::Test {
 protected:
  std::uint16_t take(const std::string& sop_class, const std::string& uid,
                     const std::string& syntax, const std::string& dataset) {
    return take_object(spool_, {sop_class, uid, syntax, dataset}).code;
  }

  ScratchFolder scratch_;
  ImageSpool spool_{scratch_.file("spool"), "model", {3, 1 << 20}};
};

TEST_F(ObjectIntake, KeepsTheBytesBehindAHead) {
  const std::string dataset = dicom_image("1.2.3", 99).dataset();
  EXPECT_EQ(take(kCapture, "1.2.3", kExplicit, dataset), kStoreSuccess);
  const std::string file = spool_.read_image("1.2.3");
  EXPECT_EQ(file.substr(file.size() - dataset.size()), dataset);
  EXPECT_EQ(decode_image(file, "x", {}).pixels.front(), 99);
  EXPECT_EQ(take(kCapture, "1.2.3", kExplicit, dataset), kStoreSuccess);  // known
  const StoreStatus other =
      take_object(spool_, {kCapture, "1.2.3", kExplicit, dicom_image("1.2.3", 98).dataset()});
  EXPECT_EQ(other.code, kStoreSuccess);
  EXPECT_EQ(other.comment,
            "an image came again with other bytes under the same UID and is not answered again (1 "
            "since the start)");
  EXPECT_EQ(spool_.images(), 1U);
}

TEST_F(ObjectIntake, RefusesWhatCannotBeAnswered) {
  const std::string dataset = dicom_image("1.2.3", 99).dataset();
  EXPECT_EQ(take(kCapture, "1.2.4", kExplicit, dataset), kStoreMismatch);
  EXPECT_EQ(take("1.2.840.10008.5.1.4.1.1.2", "1.2.3", kExplicit, dataset), kStoreMismatch);
  EXPECT_EQ(take(kCapture, "../../etc/x", kExplicit, dataset), kStoreNotUnderstood);
  EXPECT_EQ(take(kCapture, "1.2.3", kExplicit, ""), kStoreNotUnderstood);
  EXPECT_EQ(take(kCapture, "1.2.3", kExplicit, "\x08\x00 rubbish"), kStoreNotUnderstood);
  EXPECT_EQ(take(kCapture, "1.2.3", kExplicit, dataset.substr(0, 60)), kStoreNotUnderstood);
  auto without_study = dicom_image("1.2.3", 99);
  without_study.without(0x0020000d);
  EXPECT_EQ(take(kCapture, "1.2.3", kExplicit, without_study.dataset()), kStoreNotUnderstood);
  EXPECT_EQ(spool_.images(), 0U);
}

TEST_F(ObjectIntake, AFullQueueMayBeAskedAgain) {
  for (const std::string uid : {"1.1", "1.2", "1.3"}) {
    EXPECT_EQ(take(kCapture, uid, kExplicit, dicom_image(uid, 1).dataset()), kStoreSuccess);
  }
  EXPECT_EQ(take(kCapture, "1.4", kExplicit, dicom_image("1.4", 1).dataset()), kStoreNoResources);
}

TEST(ImageIdentity, IsWhatTheFileSays) {
  const ImageIdentity identity = read_image_identity(dicom_image("1.2.3", 99).file(), "it");
  EXPECT_EQ(identity.sop_uid, "1.2.3");
  EXPECT_EQ(identity.study_uid, "1.2.9");
  EXPECT_EQ(identity.patient_name, "M\xfcller^Anna");
  EXPECT_EQ(identity.character_set, "ISO_IR 100");
  EXPECT_EQ(identity.instance_number, "7");
  EXPECT_THROW(read_image_identity("no file", "it"), DataError);
}

}  // namespace
}  // namespace cubcal
