#include "cubcal/image/orientation.h"

#include <cstdint>
#include <utility>

namespace cubcal {

namespace {

constexpr unsigned kOrientationTag = 0x0112;
constexpr unsigned kShort = 3;

/// Numbers in bytes that may end anywhere; what lies beyond is 0.
struct ByteNumbers {
  std::string_view bytes;
  bool big_endian = false;

  std::uint32_t byte(std::size_t place) const {
    return place < bytes.size() ? static_cast<unsigned char>(bytes[place]) : 0;
  }
  std::uint32_t u16(std::size_t place) const {
    return big_endian ? byte(place) << 8 | byte(place + 1) : byte(place + 1) << 8 | byte(place);
  }
  std::uint32_t u32(std::size_t place) const {
    return big_endian ? u16(place) << 16 | u16(place + 2) : u16(place + 2) << 16 | u16(place);
  }
};

template <class Level>
std::vector<Level> rearranged(const std::vector<Level>& pixels, const Image& from, const Image& to,
                              int orientation) {
  std::vector<Level> result(pixels.size());
  const bool flip_x = orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
  const bool flip_y = orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
  const bool exchanged = orientation >= 5;
  std::size_t place = 0;
  for (std::size_t y = 0; y < to.height; ++y) {
    for (std::size_t x = 0; x < to.width; ++x) {
      const std::size_t along = exchanged ? y : x;
      const std::size_t down = exchanged ? x : y;
      const std::size_t column = flip_x ? from.width - 1 - along : along;
      const std::size_t row = flip_y ? from.height - 1 - down : down;
      const std::size_t source = (row * from.width + column) * from.channels;
      for (std::size_t c = 0; c < from.channels; ++c) result[place++] = pixels[source + c];
    }
  }
  return result;
}

}  // namespace

int exif_orientation(std::string_view exif) {
  const bool big = exif.substr(0, 2) == "MM";
  if (!big && exif.substr(0, 2) != "II") return 1;
  const ByteNumbers numbers{exif, big};
  const std::size_t start = numbers.u32(4);
  const std::size_t entries = numbers.u16(start);
  for (std::size_t i = 0; i < entries && start + 2 + 12 * (i + 1) <= exif.size(); ++i) {
    const std::size_t entry = start + 2 + 12 * i;
    if (numbers.u16(entry) != kOrientationTag || numbers.u16(entry + 2) != kShort) continue;
    const std::uint32_t value = numbers.u16(entry + 8);
    return value >= 1 && value <= 8 ? static_cast<int>(value) : 1;
  }
  return 1;
}

int jpeg_orientation(std::string_view bytes) {
  constexpr std::string_view kExif("Exif\0\0", 6);
  const ByteNumbers numbers{bytes, /*big_endian=*/true};
  for (std::size_t place = 2; place + 4 <= bytes.size();) {
    const std::uint32_t marker = numbers.u16(place);
    const std::size_t length = numbers.u16(place + 2);
    if (marker == 0xffff) {  // fill byte
      ++place;
      continue;
    }
    if (marker < 0xffc0 || marker == 0xffda || length < 2) return 1;  // pixels start, or no marker
    const std::string_view body = bytes.substr(place + 4, length - 2);
    if (marker == 0xffe1 && body.substr(0, kExif.size()) == kExif) {
      return exif_orientation(body.substr(kExif.size()));
    }
    place += 2 + length;
  }
  return 1;
}

int webp_orientation(std::string_view bytes) {
  const ByteNumbers numbers{bytes};
  for (std::size_t place = 12; place + 8 <= bytes.size();) {
    const std::size_t length = numbers.u32(place + 4);
    if (bytes.substr(place, 4) == "EXIF") {
      std::string_view body = bytes.substr(place + 8, length);
      constexpr std::string_view kExif("Exif\0\0", 6);  // some writers leave it in
      if (body.substr(0, kExif.size()) == kExif) body.remove_prefix(kExif.size());
      return exif_orientation(body);
    }
    place += 8 + length + length % 2;
  }
  return 1;
}

int png_orientation(std::string_view bytes) {
  const ByteNumbers numbers{bytes, /*big_endian=*/true};
  for (std::size_t place = 8; place + 12 <= bytes.size();) {
    const std::size_t length = numbers.u32(place);
    if (bytes.substr(place + 4, 4) == "eXIf") {
      return exif_orientation(bytes.substr(place + 8, length));
    }
    place += 12 + length;
  }
  return 1;
}

Image upright(Image image, int orientation) {
  if (orientation < 2 || orientation > 8) return image;
  Image turned;
  turned.height = orientation >= 5 ? image.width : image.height;
  turned.width = orientation >= 5 ? image.height : image.width;
  turned.channels = image.channels;
  turned.turned = true;
  turned.pixels = image.pixels.empty() ? std::vector<std::uint8_t>()
                                       : rearranged(image.pixels, image, turned, orientation);
  turned.deep_pixels = image.deep_pixels.empty()
                           ? std::vector<std::uint16_t>()
                           : rearranged(image.deep_pixels, image, turned, orientation);
  return turned;
}

}  // namespace cubcal
