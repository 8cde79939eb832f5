#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cubcal {

/// An 8-bit image: gray (1 channel) or RGB (3 channels), rows from the top, channels interleaved.
struct Image {
  std::size_t height = 0;
  std::size_t width = 0;
  std::size_t channels = 0;
  std::vector<std::uint8_t> pixels;  ///< height * width * channels
};

/// Images of more pixels are refused, whatever their file's size: a few bytes can promise billions.
inline constexpr std::size_t kMaxImagePixels = 100'000'000;

/// Reads a PNG or JPEG file, told apart by content. See png_image.h and jpeg_image.h for what
/// becomes of palettes, alpha, 16 bits and CMYK. Colour profiles, gamma and orientation tags are
/// not applied. Throws IoError where the file cannot be read and DataError naming it where it is
/// damaged, cut short, too large, of another format, or of a format this build lacks.
Image read_image_file(const std::string& path);

}  // namespace cubcal
