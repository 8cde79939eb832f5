#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cubcal/dicom/dicom_pixel_format.h"

namespace cubcal {

struct DicomJpegFrame {
  std::vector<std::uint16_t> values;  ///< pixel by pixel
  std::string photometric;            ///< YBR becomes RGB where the stream is not lossless
};

/// Decodes a frame that is JPEG (baseline, extended, lossless) or JPEG-LS, with the codecs of
/// DCMTK. A warning of the codec is a failure, since it leaves gray where the picture was. DCMTK's
/// log is taken over: nothing of it is printed from the first call on. Throws DataError with the
/// reason, also where this build lacks DCMTK.
DicomJpegFrame decode_dicom_jpeg(std::string_view stream, const std::string& transfer_syntax,
                                 const DicomPixelFormat& format);

}  // namespace cubcal
