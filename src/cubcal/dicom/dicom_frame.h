#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cubcal/dicom/dicom_pixel_format.h"

namespace cubcal {

/// One frame as stored: codes of bits_stored bits, pixel by pixel, not yet signed.
struct DicomFrame {
  std::vector<std::uint16_t> codes;
  std::string photometric;  ///< of the file, or what decompression made of it
};

/// Uncompressed, deflated, RLE, JPEG, JPEG-LS and JPEG 2000 transfer syntaxes. Throws DataError
/// with the reason, for other syntaxes naming them.
DicomFrame read_dicom_frame(const DicomFile& file, const DicomPixelFormat& format,
                            std::size_t frame);

}  // namespace cubcal
