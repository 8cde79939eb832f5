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

/// From the first call on nothing of DCMTK's log is printed. Does nothing where this build lacks
/// it.
void take_over_dcmtk_log();

/// Decodes a frame that is JPEG (baseline, extended, lossless) or JPEG-LS, with the codecs of
/// DCMTK. A warning of the codec is a failure, since it leaves gray where the picture was. Takes
/// DCMTK's log over. Throws DataError with the
/// reason, also where this build lacks DCMTK.
DicomJpegFrame decode_dicom_jpeg(std::string_view stream, const std::string& transfer_syntax,
                                 const DicomPixelFormat& format);

}  // namespace cubcal
