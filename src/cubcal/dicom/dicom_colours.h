#pragma once

#include <vector>

#include "cubcal/dicom/dicom_dataset.h"
#include "cubcal/dicom/dicom_frame.h"
#include "cubcal/image/image_file.h"

namespace cubcal {

/// RGB of a frame of PALETTE COLOR, RGB or YBR_FULL. Palettes and up to 8 stored bits give 8 bits,
/// else 16: v L / (2^bits - 1), rounded. YBR_FULL is turned into RGB by the full-range formulas of
/// Rec. 601 (PS3.3, C.7.6.3.1.2). Throws DataError with the reason.
Image dicom_colours(const DicomDataset& dataset, const DicomPixelFormat& format,
                    const DicomFrame& frame);

}  // namespace cubcal
