#include "cubcal/image/bmp_image.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "cubcal/image/image_failure.h"

namespace cubcal {

namespace {

constexpr std::size_t kFileHead = 14;
constexpr std::uint32_t kPlain = 0;
constexpr std::uint32_t kBitFields = 3;
constexpr std::uint32_t kAlphaBitFields = 6;
constexpr std::array<std::uint32_t, 7> kHeadSizes = {12, 40, 52, 56, 64, 108, 124};

class BmpBytes {
 public:
  explicit BmpBytes(std::string_view bytes) : bytes_(bytes) {}

  std::uint32_t byte(std::size_t place) const {
    if (place >= bytes_.size()) throw DataError("the file is cut short");
    return static_cast<unsigned char>(bytes_[place]);
  }
  std::uint32_t u16(std::size_t place) const { return byte(place) | byte(place + 1) << 8; }
  std::uint32_t u32(std::size_t place) const { return u16(place) | u16(place + 2) << 16; }
  std::size_t size() const { return bytes_.size(); }

 private:
  std::string_view bytes_;
};

using Colour = std::array<std::uint8_t, 3>;

struct BmpHead {
  std::size_t height = 0;
  std::size_t width = 0;
  bool top_down = false;
  unsigned bits = 0;
  std::size_t pixels = 0;                  ///< where they start
  std::vector<Colour> palette = {};        ///< of up to 8 bits
  std::array<std::uint32_t, 3> mask = {};  ///< of 16 and 32 bits: red, green, blue
};

void read_palette(const BmpBytes& bytes, std::size_t start, std::size_t entry_size,
                  std::size_t used, BmpHead& head) {
  const std::size_t most = std::size_t{1} << head.bits;
  const std::size_t entries = used == 0 ? most : used;
  if (entries > most) throw DataError("its palette has more entries than its bits can name");
  for (std::size_t i = 0; i < entries; ++i) {
    const std::size_t place = start + i * entry_size;
    head.palette.push_back({static_cast<std::uint8_t>(bytes.byte(place + 2)),
                            static_cast<std::uint8_t>(bytes.byte(place + 1)),
                            static_cast<std::uint8_t>(bytes.byte(place))});
  }
}

void read_masks(const BmpBytes& bytes, std::uint32_t packing, BmpHead& head) {
  if (packing == kPlain) {
    head.mask = head.bits == 16 ? std::array<std::uint32_t, 3>{0x7c00, 0x03e0, 0x001f}
                                : std::array<std::uint32_t, 3>{0xff0000, 0x00ff00, 0x0000ff};
    return;
  }
  for (std::size_t c = 0; c < 3; ++c) {
    head.mask[c] = bytes.u32(kFileHead + 40 + 4 * c);
    if (head.mask[c] == 0) throw DataError("its mask of a colour is empty");
  }
}

BmpHead read_bmp_head(const BmpBytes& bytes, std::size_t max_pixels) {
  BmpHead head;
  const std::uint32_t size = bytes.u32(kFileHead);
  const bool is_old = size == 12;
  head.pixels = bytes.u32(10);
  std::uint32_t packing = kPlain;
  std::size_t used = 0;
  if (is_old) {
    head.width = bytes.u16(kFileHead + 4);
    head.height = bytes.u16(kFileHead + 6);
    head.bits = bytes.u16(kFileHead + 10);
  } else {
    const auto width = static_cast<std::int32_t>(bytes.u32(kFileHead + 4));
    const auto height =
        static_cast<std::int64_t>(static_cast<std::int32_t>(bytes.u32(kFileHead + 8)));
    if (width < 0) throw DataError("its width is negative");
    head.width = static_cast<std::size_t>(width);
    head.top_down = height < 0;
    head.height = static_cast<std::size_t>(height < 0 ? -height : height);
    head.bits = bytes.u16(kFileHead + 14);
    packing = bytes.u32(kFileHead + 16);
    used = bytes.u32(kFileHead + 32);
  }
  check_image_size(head.height, head.width, max_pixels);
  const bool has_masks = packing == kBitFields || packing == kAlphaBitFields;
  const bool is_wide = head.bits == 16 || head.bits == 32;
  if (packing != kPlain && !(has_masks && is_wide)) {
    throw DataError("its pixels are compressed, of which BMP has several kinds that are not read");
  }
  if (head.bits == 1 || head.bits == 4 || head.bits == 8) {
    read_palette(bytes, kFileHead + size, is_old ? 3 : 4, used, head);
  } else if (is_wide) {
    read_masks(bytes, packing, head);
  } else if (head.bits != 24) {
    throw DataError("it has " + std::to_string(head.bits) +
                    " bits per pixel where 1, 4, 8, 16, 24 and 32 are decoded");
  }
  return head;
}

/// The part of a pixel under a mask, stretched to 255.
std::uint8_t masked(std::uint32_t value, std::uint32_t mask) {
  unsigned shift = 0;
  while ((mask >> shift & 1U) == 0) ++shift;
  const std::uint64_t largest = mask >> shift;
  const std::uint64_t part = (value & mask) >> shift;
  return static_cast<std::uint8_t>((part * 255 + largest / 2) / largest);
}

Colour colour_at(const BmpBytes& bytes, const BmpHead& head, std::size_t row, std::size_t x) {
  if (head.bits == 24) {
    const std::size_t place = row + 3 * x;
    return {static_cast<std::uint8_t>(bytes.byte(place + 2)),
            static_cast<std::uint8_t>(bytes.byte(place + 1)),
            static_cast<std::uint8_t>(bytes.byte(place))};
  }
  if (head.bits > 8) {
    const std::uint32_t value = head.bits == 16 ? bytes.u16(row + 2 * x) : bytes.u32(row + 4 * x);
    return {masked(value, head.mask[0]), masked(value, head.mask[1]), masked(value, head.mask[2])};
  }
  const std::size_t bit = x * head.bits;
  const std::uint32_t byte = bytes.byte(row + bit / 8);
  const std::size_t index = byte >> (8 - head.bits - bit % 8) & ((1U << head.bits) - 1);
  if (index >= head.palette.size()) throw DataError("a pixel names a colour beyond its palette");
  return head.palette[index];
}

Image decode_pixels(std::string_view file, std::size_t max_pixels) {
  const BmpBytes bytes(file);
  const BmpHead head = read_bmp_head(bytes, max_pixels);
  const std::size_t stride = (head.width * head.bits + 31) / 32 * 4;
  if (head.pixels > bytes.size() || stride * head.height > bytes.size() - head.pixels + 3) {
    throw DataError("the file is cut short");
  }
  const bool is_gray = !head.palette.empty() &&
                       std::all_of(head.palette.begin(), head.palette.end(),
                                   [](const Colour& c) { return c[0] == c[1] && c[1] == c[2]; });
  Image image{head.height, head.width, is_gray ? std::size_t{1} : std::size_t{3}};
  image.pixels.reserve(image.height * image.width * image.channels);
  for (std::size_t y = 0; y < head.height; ++y) {
    const std::size_t row = head.pixels + stride * (head.top_down ? y : head.height - 1 - y);
    for (std::size_t x = 0; x < head.width; ++x) {
      const Colour colour = colour_at(bytes, head, row, x);
      image.pixels.insert(image.pixels.end(), colour.begin(),
                          colour.begin() + static_cast<std::ptrdiff_t>(image.channels));
    }
  }
  return image;
}

}  // namespace

bool is_bmp(std::string_view bytes) {
  if (bytes.size() < kFileHead + 4 || bytes.substr(0, 2) != "BM") return false;
  const std::uint32_t size = BmpBytes(bytes).u32(kFileHead);
  return std::find(kHeadSizes.begin(), kHeadSizes.end(), size) != kHeadSizes.end();
}

Image decode_bmp(std::string_view bytes, const std::string& name, std::size_t max_pixels) {
  try {
    return decode_pixels(bytes, max_pixels);
  } catch (const DataError& error) {
    throw image_failure("BMP", name, error.what());
  }
}

}  // namespace cubcal
