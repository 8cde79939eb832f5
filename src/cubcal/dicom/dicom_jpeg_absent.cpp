#include "cubcal/core/error.h"
#include "cubcal/dicom/dicom_jpeg.h"

// Takes the place of dicom_jpeg.cpp where DCMTK was not found.

namespace cubcal {

void take_over_dcmtk_log() {}

DicomJpegFrame decode_dicom_jpeg(std::string_view, const std::string& transfer_syntax,
                                 const DicomPixelFormat&) {
  throw DataError("its pixels are JPEG (transfer syntax " + transfer_syntax +
                  "), and cubcal was built without DCMTK, which decodes them");
}

}  // namespace cubcal
