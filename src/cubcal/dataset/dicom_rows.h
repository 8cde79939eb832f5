#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "cubcal/dataset/catalog.h"

namespace cubcal {

/// A frame of a DICOM file, or a page of a TIFF file, by its path: "scans/a.dcm/17".
struct FrameMember {
  std::string file;
  std::size_t frame = 0;
};

/// None where the path is not of this form or no regular file lies there.
std::optional<FrameMember> frame_member(const std::string& path);

/// Completes a catalog by what its DICOM files say. A file of several frames becomes a row per
/// frame, which share a group. Where no sample has a group, the patient (PatientID, or where that
/// is empty the study) is the group. Columns dicom_manufacturer, dicom_site, dicom_view,
/// dicom_photometric and dicom_window are added where a file has a value and the catalog has no
/// column of the name. Patients and sites are replaced by hashes unless `keep_names`. A file that
/// cannot be read stays as it is: decoding it will say why.
void take_dicom_rows(Catalog& catalog, bool keep_names);

}  // namespace cubcal
