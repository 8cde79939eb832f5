#include "cubcal/node/image_identity.h"

#include <utility>

#include "cubcal/core/error.h"
#include "cubcal/dicom/dicom_dataset.h"
#include "cubcal/spool/dicom_uid.h"

namespace cubcal {

ImageIdentity read_image_identity(std::string_view file, const std::string& name) {
  constexpr DicomTag kLast = 0x00200013;
  if (!is_dicom(file)) throw DataError(name + " is not a DICOM file");
  ImageIdentity identity;
  const std::pair<DicomTag, std::string*> fields[] = {{0x00080005, &identity.character_set},
                                                      {0x00080016, &identity.sop_class},
                                                      {0x00080018, &identity.sop_uid},
                                                      {0x00080020, &identity.study_date},
                                                      {0x00080030, &identity.study_time},
                                                      {0x00080050, &identity.accession_number},
                                                      {0x00080060, &identity.modality},
                                                      {0x00080090, &identity.referring_physician},
                                                      {0x00081030, &identity.study_description},
                                                      {0x00100010, &identity.patient_name},
                                                      {0x00100020, &identity.patient_id},
                                                      {0x00100021, &identity.patient_id_issuer},
                                                      {0x00100030, &identity.patient_birth_date},
                                                      {0x00100040, &identity.patient_sex},
                                                      {0x0020000d, &identity.study_uid},
                                                      {0x0020000e, &identity.series_uid},
                                                      {0x00200010, &identity.study_id},
                                                      {kLast, &identity.instance_number}};
  try {
    const DicomFile read = read_dicom(file, kLast);
    for (const auto& [tag, field] : fields) *field = read.dataset.text(tag);
  } catch (const DataError& error) {
    throw DataError(name + " cannot be read: " + error.what());
  }
  const std::pair<const char*, const std::string*> needed[] = {
      {"SOP Class", &identity.sop_class},
      {"SOP Instance", &identity.sop_uid},
      {"Study Instance", &identity.study_uid},
      {"Series Instance", &identity.series_uid}};
  for (const auto& [word, uid] : needed) {
    if (!is_dicom_uid(*uid)) {
      throw DataError(name + " has no proper " + word + " UID: " + kDicomUidRule);
    }
  }
  return identity;
}

}  // namespace cubcal
