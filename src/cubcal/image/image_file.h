#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cubcal {

/// Gray (1 channel) or RGB (3 channels), rows from the top, channels interleaved. Levels run from 0
/// to 255, or to 65535 where the file had more than 8 bits.
struct Image {
  std::size_t height = 0;
  std::size_t width = 0;
  std::size_t channels = 0;
  std::vector<std::uint8_t> pixels = {};        ///< height * width * channels; empty where deep
  std::vector<std::uint16_t> deep_pixels = {};  ///< the same of an image of 16 bits; else empty
  bool turned = false;  ///< stored turned or mirrored, and brought upright when it was read

  bool is_deep() const { return !deep_pixels.empty(); }
};

/// How stored values of a DICOM image become levels.
enum class DicomWindow {
  kFile,        ///< the first window of the file; where it has none, plain bytes stay as they are
                ///< and everything else is kPercentile
  kPercentile,  ///< the 0.5th to the 99.5th percentile
  kFull         ///< the least to the largest value
};

/// Images of more pixels are refused, whatever their file's size: a few bytes can promise billions.
inline constexpr std::size_t kMaxImagePixels = 100'000'000;
/// Of its levels, alpha included: as many pixels of RGBA.
inline constexpr std::size_t kMaxImageBytes = 4 * kMaxImagePixels;

struct ImageFileOptions {
  DicomWindow dicom_window = DicomWindow::kFile;
  /// Which frame of a DICOM file, or page of a TIFF file, of several, from 0; none: such files are
  /// refused.
  std::optional<std::size_t> dicom_frame = {};
  std::size_t max_pixels = kMaxImagePixels;  ///< at most kMaxImagePixels
};

/// Reads a file of one of the formats of image_codecs(), told apart by content. See png_image.h,
/// jpeg_image.h, tiff_image.h, dicom_image.h and so on for what becomes of palettes, alpha, CMYK
/// and stored values. Orientations are applied; colour profiles and gamma are not. Throws IoError
/// where the file cannot be read and DataError naming it where it is damaged, cut short, too large,
/// of another format, or of a format this build lacks.
Image read_image_file(const std::string& path, const ImageFileOptions& options = {});
/// The same for the bytes of such a file; `name` is for messages.
Image decode_image(std::string_view bytes, const std::string& name,
                   const ImageFileOptions& options = {});

}  // namespace cubcal
