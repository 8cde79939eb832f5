#include "cubcal/image/jpeg2000_image.h"

#include <algorithm>
#include <limits>

#include "cubcal/image/image_failure.h"
#include "cubcal/image/jpeg2000_stream.h"
#include "cubcal/image/on_black.h"

namespace cubcal {

namespace {

/// Full-range Rec. 601, as JFIF has it.
void rgb_from_ycc(Jpeg2000Planes& planes) {
  const double middle = planes.is_signed ? 0 : static_cast<double>(1 << (planes.bits - 1));
  for (std::size_t i = 0; i + 2 < planes.values.size(); i += planes.channels) {
    const double y = planes.values[i];
    const double b = planes.values[i + 1] - middle;
    const double r = planes.values[i + 2] - middle;
    planes.values[i] = static_cast<std::int32_t>(y + 1.402 * r + 0.5);
    planes.values[i + 1] = static_cast<std::int32_t>(y - 0.344136 * b - 0.714136 * r + 0.5);
    planes.values[i + 2] = static_cast<std::int32_t>(y + 1.772 * b + 0.5);
  }
}

template <class Level>
std::vector<Level> levels_of_planes(const Jpeg2000Planes& planes) {
  constexpr std::int64_t kMax = std::numeric_limits<Level>::max();
  const std::int64_t largest = (std::int64_t{1} << planes.bits) - 1;
  const std::int64_t least = planes.is_signed ? -(std::int64_t{1} << (planes.bits - 1)) : 0;
  std::vector<Level> levels;
  levels.reserve(planes.values.size());
  for (const std::int32_t value : planes.values) {
    const std::int64_t code = std::clamp<std::int64_t>(value - least, 0, largest);
    levels.push_back(static_cast<Level>((code * kMax + largest / 2) / largest));
  }
  const bool has_alpha = planes.channels % 2 == 0;
  return has_alpha ? on_black(levels, planes.channels) : levels;
}

}  // namespace

bool is_jpeg2000_codestream(std::string_view bytes) {
  return bytes.substr(0, 4) == "\xff\x4f\xff\x51";
}

bool is_jpeg2000(std::string_view bytes) {
  constexpr std::string_view kBox("\0\0\0\x0cjP  \r\n\x87\n", 12);
  return is_jpeg2000_codestream(bytes) || bytes.substr(0, kBox.size()) == kBox;
}

Image decode_jpeg2000(std::string_view bytes, const std::string& name, std::size_t max_pixels) {
  if (!has_jpeg2000()) throw format_absent("JPEG 2000", name);
  try {
    Jpeg2000Planes planes = decode_jpeg2000_planes(bytes, max_pixels);
    if (planes.is_ycc) rgb_from_ycc(planes);
    const bool has_alpha = planes.channels % 2 == 0;
    Image image{planes.height, planes.width, planes.channels - (has_alpha ? 1 : 0)};
    if (planes.bits > 8) {
      image.deep_pixels = levels_of_planes<std::uint16_t>(planes);
    } else {
      image.pixels = levels_of_planes<std::uint8_t>(planes);
    }
    return image;
  } catch (const DataError& error) {
    throw image_failure("JPEG 2000", name, error.what());
  }
}

}  // namespace cubcal
