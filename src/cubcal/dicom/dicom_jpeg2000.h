#pragma once

#include <string_view>

#include "cubcal/dicom/dicom_frame.h"

namespace cubcal {

/// Decodes a frame that is a JPEG 2000 codestream. The transform of its colours is undone: YBR_RCT
/// and YBR_ICT become RGB. Throws DataError with the reason, also where this build lacks OpenJPEG
/// and where the stream is not of the size, channels or bits that the file says.
DicomFrame decode_dicom_jpeg2000(std::string_view stream, const DicomPixelFormat& format);

}  // namespace cubcal
