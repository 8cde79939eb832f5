#pragma once

#include <string>

namespace cubcal {

/// What stands before a data set in a DICOM file (PS3.10, 7.1): preamble, "DICM" and the elements
/// that say what it is and how it is encoded.
std::string dicom_file_head(const std::string& sop_class, const std::string& sop_uid,
                            const std::string& transfer_syntax);

}  // namespace cubcal
