#pragma once

#include <string>
#include <string_view>

namespace cubcal {

/// Whose image it is and where it belongs, as the file says it: bytes in the character set that it
/// names. What it does not say is empty.
struct ImageIdentity {
  std::string character_set;  ///< SpecificCharacterSet, with its backslashes
  std::string sop_class;
  std::string sop_uid;
  std::string study_uid;
  std::string series_uid;
  std::string modality;
  std::string instance_number;
  std::string patient_name;
  std::string patient_id;
  std::string patient_id_issuer;
  std::string patient_birth_date;
  std::string patient_sex;
  std::string study_date;
  std::string study_time;
  std::string study_id;
  std::string study_description;
  std::string accession_number;
  std::string referring_physician;
};

/// Of a DICOM file. Throws DataError where it is none, or where it lacks one of the UIDs without
/// which no report can be placed beside it; `name` is for messages.
ImageIdentity read_image_identity(std::string_view file, const std::string& name);

}  // namespace cubcal
