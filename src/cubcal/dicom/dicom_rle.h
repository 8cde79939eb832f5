#pragma once

#include <string_view>
#include <vector>

#include "cubcal/dicom/dicom_pixel_format.h"

namespace cubcal {

/// Decodes a frame of the RLE transfer syntax (PS3.5, annex G): the bytes of every value from the
/// highest down, each a run-length coded plane. Gives the values pixel by pixel. Throws DataError
/// with the reason.
std::vector<std::uint16_t> decode_dicom_rle(std::string_view frame, const DicomPixelFormat& format);

}  // namespace cubcal
