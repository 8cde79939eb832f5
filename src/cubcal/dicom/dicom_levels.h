#pragma once

#include <cstdint>
#include <vector>

#include "cubcal/dicom/dicom_dataset.h"
#include "cubcal/dicom/dicom_frame.h"
#include "cubcal/image/image_file.h"

namespace cubcal {

/// Gray levels of a frame of MONOCHROME1 or MONOCHROME2 (PS3.3, C.11.1 and C.11.2).
///
/// A stored code is read as signed or unsigned number v. It becomes a value
///
///     x = slope v + intercept,   or the entry of the modality table where the file has one,
///
/// and x becomes a level between 0 and the largest L (255 for up to 8 stored bits, else 65535):
///
///     LINEAR        L (x - low) / (high - low),  low = c - 1/2 - (w - 1)/2,  high = low + w - 1
///     LINEAR_EXACT  the same with low = c - w/2, high = c + w/2
///     SIGMOID       L / (1 + exp(-4 (x - c) / w))
///
/// rounded, 0 up to `low` and L beyond `high`, with centre c and width w of the first window.
/// DicomWindow::kPercentile and kFull are ramps from the least to the largest such value of the
/// frame, pixel padding left out; a frame of one value becomes 0. MONOCHROME1 is turned around at
/// last, to L - level, so that a high level is always bright. Per-frame and shared functional
/// groups go before the values of the file. VOI tables are not applied.
///
/// Throws DataError with the reason for a slope of 0 and a width that is not positive.
Image dicom_gray(const DicomDataset& dataset, const DicomPixelFormat& format, std::size_t frame,
                 const std::vector<std::uint16_t>& codes, DicomWindow window);

}  // namespace cubcal
