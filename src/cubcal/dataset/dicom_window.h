#pragma once

#include <string>

#include "cubcal/image/image_file.h"

namespace cubcal {

/// "file", "percentile" or "full"; anything else throws ArgumentError.
DicomWindow parse_dicom_window(const std::string& name);
const char* dicom_window_name(DicomWindow window);

}  // namespace cubcal
