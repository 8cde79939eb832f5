#include "cubcal/dicom/dicom_colours.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cubcal/core/error.h"
#include "cubcal/dicom/dicom_table.h"
#include "cubcal/io/utf8.h"

namespace cubcal {

namespace {

constexpr DicomTag kPaletteDescriptors = 0x00281101;  // red; green and blue follow
constexpr DicomTag kPaletteData = 0x00281201;

std::vector<std::uint8_t> palette_bytes(const DicomTable& table) {
  // Some files have bytes in entries that they say are wider.
  const bool wide = std::any_of(table.entries.begin(), table.entries.end(),
                                [](std::uint16_t entry) { return entry > 255; });
  std::vector<std::uint8_t> bytes;
  for (const std::uint16_t entry : table.entries) {
    bytes.push_back(static_cast<std::uint8_t>(wide ? entry >> 8 : entry));
  }
  return bytes;
}

std::vector<std::uint8_t> look_up(const DicomDataset& dataset,
                                  const std::vector<std::uint16_t>& codes) {
  std::vector<std::uint8_t> rgb(3 * codes.size());
  for (std::uint32_t c = 0; c < 3; ++c) {
    std::optional<DicomTable> table =
        read_dicom_table(dataset, kPaletteDescriptors + c, kPaletteData + c, /*is_signed=*/false);
    if (!table) throw DataError("it has no palette " + dicom_tag_text(kPaletteDescriptors + c));
    const std::vector<std::uint8_t> bytes = palette_bytes(*table);
    table->entries.assign(bytes.begin(), bytes.end());
    for (std::size_t i = 0; i < codes.size(); ++i) {
      rgb[3 * i + c] = static_cast<std::uint8_t>(table->at(codes[i]));
    }
  }
  return rgb;
}

template <class Level>
std::vector<Level> stretched(const std::vector<std::uint16_t>& codes, std::uint32_t largest) {
  constexpr std::uint32_t kMax = std::numeric_limits<Level>::max();
  std::vector<Level> levels(codes.size());
  std::transform(codes.begin(), codes.end(), levels.begin(), [&](std::uint16_t code) {
    return static_cast<Level>((code * kMax + largest / 2) / largest);
  });
  return levels;
}

std::uint8_t rounded_byte(double level) {
  return static_cast<std::uint8_t>(std::clamp(std::floor(level + 0.5), 0.0, 255.0));
}

void rgb_from_ybr(std::vector<std::uint8_t>& levels) {
  for (std::size_t i = 0; i + 2 < levels.size(); i += 3) {
    const double y = levels[i];
    const double b = levels[i + 1] - 128.0;
    const double r = levels[i + 2] - 128.0;
    levels[i] = rounded_byte(y + 1.402 * r);
    levels[i + 1] = rounded_byte(y - 0.344136 * b - 0.714136 * r);
    levels[i + 2] = rounded_byte(y + 1.772 * b);
  }
}

}  // namespace

Image dicom_colours(const DicomDataset& dataset, const DicomPixelFormat& format,
                    const DicomFrame& frame) {
  Image image{format.height, format.width, 3};
  if (frame.photometric == "PALETTE COLOR") {
    image.pixels = look_up(dataset, frame.codes);
    return image;
  }
  const auto largest = static_cast<std::uint32_t>(format.codes() - 1);
  const bool is_ybr = frame.photometric == "YBR_FULL";
  if (!is_ybr && frame.photometric != "RGB") {
    throw DataError("its colours are " + in_quotes(frame.photometric) + " after decompression");
  }
  if (format.bits_stored > 8) {
    if (is_ybr) throw DataError("its YBR_FULL colours have more than 8 bits");
    image.deep_pixels = stretched<std::uint16_t>(frame.codes, largest);
  } else {
    image.pixels = stretched<std::uint8_t>(frame.codes, largest);
    if (is_ybr) rgb_from_ybr(image.pixels);
  }
  return image;
}

}  // namespace cubcal
