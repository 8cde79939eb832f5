#include "cubcal/node/object_intake.h"

#include "cubcal/core/error.h"
#include "cubcal/node/dicom_file_head.h"
#include "cubcal/node/image_identity.h"
#include "cubcal/spool/dicom_uid.h"

namespace cubcal {

std::string other_content(const ImageSpool& spool) {
  return "an image came again with other bytes under the same UID and is not answered again (" +
         std::to_string(spool.others()) + " since the start)";
}

StoreStatus take_object(ImageSpool& spool, ReceivedObject object) {
  for (const std::string& uid : {object.sop_class, object.sop_uid, object.transfer_syntax}) {
    if (!is_dicom_uid(uid)) return {kStoreNotUnderstood, kDicomUidRule};
  }
  try {
    object.dataset.insert(
        0, dicom_file_head(object.sop_class, object.sop_uid, object.transfer_syntax));
    const ImageIdentity identity = read_image_identity(object.dataset, "the object");
    if (identity.sop_uid != object.sop_uid || identity.sop_class != object.sop_class) {
      return {kStoreMismatch, "the command and the data set name different objects"};
    }
    switch (spool.accept(object.sop_uid, object.dataset)) {
      case Intake::kFull: return {kStoreNoResources, "the queue is full"};
      case Intake::kOther: return {kStoreSuccess, other_content(spool)};
      default: return {kStoreSuccess};
    }
  } catch (const DataError& error) {
    return {kStoreNotUnderstood, error.what()};
  } catch (const IoError&) {
    return {kStoreNoResources, "the object could not be stored"};
  }
}

}  // namespace cubcal
