#include "cubcal/node/object_intake.h"

#include "cubcal/core/error.h"
#include "cubcal/node/dicom_file_head.h"
#include "cubcal/node/image_identity.h"
#include "cubcal/spool/dicom_uid.h"

namespace cubcal {

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
    if (spool.accept(object.sop_uid, object.dataset) == Intake::kFull) {
      return {kStoreNoResources, "the queue is full"};
    }
    return {kStoreSuccess};
  } catch (const DataError& error) {
    return {kStoreNotUnderstood, error.what()};
  } catch (const IoError&) {
    return {kStoreNoResources, "the object could not be stored"};
  }
}

}  // namespace cubcal
