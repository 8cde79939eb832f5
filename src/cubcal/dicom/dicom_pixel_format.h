#pragma once

#include <cstddef>
#include <string>

#include "cubcal/dicom/dicom_dataset.h"

namespace cubcal {

inline constexpr DicomTag kDicomFrames = 0x00280008;
inline constexpr DicomTag kDicomPixels = 0x7fe00010;

/// The Image Pixel module of a DICOM file (PS3.3, C.7.6.3).
struct DicomPixelFormat {
  std::size_t height = 0;
  std::size_t width = 0;
  std::size_t samples = 1;  ///< per pixel
  std::size_t frames = 1;
  unsigned bits_allocated = 0;  ///< 8 or 16
  unsigned bits_stored = 0;     ///< of these, ending at high_bit
  unsigned high_bit = 0;
  bool is_signed = false;
  bool planar = false;      ///< all red, then all green, then all blue
  std::string photometric;  ///< MONOCHROME1, MONOCHROME2, PALETTE COLOR, RGB, YBR_FULL, ...

  std::size_t values() const { return height * width * samples; }  ///< of one frame
  std::size_t codes() const { return std::size_t{1} << bits_stored; }
};

/// The number of frames a file says it has; 1 where it says nothing.
std::size_t dicom_frames(const DicomDataset& dataset);

/// Throws DataError with the reason where the file holds no image, or one that is not decoded: of
/// more than 16 bits or more than kMaxImagePixels.
DicomPixelFormat read_dicom_pixel_format(const DicomDataset& dataset);

}  // namespace cubcal
