#pragma once

#include "cubcal/dataset/catalog.h"

namespace cubcal {

/// Makes the patient (PatientID, or where that is empty the study) the group of every sample that
/// is a DICOM file. A file that cannot be read stays without: decoding it will say why.
void take_dicom_groups(Catalog& catalog);

}  // namespace cubcal
