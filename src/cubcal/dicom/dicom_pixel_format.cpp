#include "cubcal/dicom/dicom_pixel_format.h"

#include "cubcal/core/error.h"
#include "cubcal/image/image_failure.h"
#include "cubcal/io/utf8.h"

namespace cubcal {

namespace {

constexpr DicomTag kSamplesPerPixel = 0x00280002;
constexpr DicomTag kPhotometric = 0x00280004;
constexpr DicomTag kPlanar = 0x00280006;
constexpr DicomTag kRows = 0x00280010;
constexpr DicomTag kColumns = 0x00280011;
constexpr DicomTag kBitsAllocated = 0x00280100;
constexpr DicomTag kBitsStored = 0x00280101;
constexpr DicomTag kHighBit = 0x00280102;
constexpr DicomTag kPixelRepresentation = 0x00280103;

constexpr double kMostFrames = 2147483647;

std::uint16_t required(const DicomDataset& dataset, DicomTag tag, const char* what) {
  const std::optional<std::uint16_t> value = dataset.word(tag);
  if (!value) {
    throw DataError(std::string("it does not say ") + what + " " + dicom_tag_text(tag));
  }
  return *value;
}

void check_bits(const DicomPixelFormat& format) {
  if (format.bits_allocated != 8 && format.bits_allocated != 16) {
    throw DataError("it has " + std::to_string(format.bits_allocated) +
                    " bits per value where 8 and 16 are decoded");
  }
  const bool within = format.bits_stored >= 1 && format.high_bit < format.bits_allocated &&
                      format.bits_stored <= format.high_bit + 1;
  if (!within) {
    throw DataError("it has no room for " + std::to_string(format.bits_stored) +
                    " bits up to bit " + std::to_string(format.high_bit) + " in " +
                    std::to_string(format.bits_allocated));
  }
}

void check_channels(const DicomPixelFormat& format) {
  const std::string& photometric = format.photometric;
  const bool is_scale = photometric == "MONOCHROME1" || photometric == "MONOCHROME2" ||
                        photometric == "PALETTE COLOR";
  const bool is_colour = photometric == "RGB" || photometric == "YBR_FULL" ||
                         photometric == "YBR_FULL_422" || photometric == "YBR_RCT" ||
                         photometric == "YBR_ICT";
  if (!is_scale && !is_colour) {
    throw DataError("its photometric interpretation is " + in_quotes(photometric) +
                    " where MONOCHROME1, MONOCHROME2, PALETTE COLOR, RGB, YBR_FULL, "
                    "YBR_FULL_422, YBR_RCT and YBR_ICT are decoded");
  }
  const std::size_t expected = is_scale ? 1 : 3;
  if (format.samples != expected) {
    throw DataError("it has " + std::to_string(format.samples) + " values per pixel where " +
                    photometric + " has " + std::to_string(expected));
  }
  if (is_colour && format.is_signed) throw DataError("its colours are signed numbers");
}

}  // namespace

std::size_t dicom_frames(const DicomDataset& dataset) {
  const double frames = dataset.decimal(kDicomFrames).value_or(1);
  if (frames < 0 || frames > kMostFrames) {
    throw DataError("its number of frames is " + in_quotes(dataset.text(kDicomFrames)));
  }
  return frames < 1 ? 1 : static_cast<std::size_t>(frames);
}

DicomPixelFormat read_dicom_pixel_format(const DicomDataset& dataset) {
  if (dataset.find(kDicomPixels) == nullptr) throw DataError("it holds no pixels (7FE0,0010)");
  DicomPixelFormat format;
  format.height = required(dataset, kRows, "how many rows it has");
  format.width = required(dataset, kColumns, "how many columns it has");
  format.bits_allocated = required(dataset, kBitsAllocated, "how many bits a value has");
  format.bits_stored =
      dataset.word(kBitsStored).value_or(static_cast<std::uint16_t>(format.bits_allocated));
  format.high_bit =
      dataset.word(kHighBit).value_or(static_cast<std::uint16_t>(format.bits_stored - 1));
  format.samples = dataset.word(kSamplesPerPixel).value_or(1);
  format.is_signed = dataset.word(kPixelRepresentation).value_or(0) == 1;
  format.planar = format.samples > 1 && dataset.word(kPlanar).value_or(0) == 1;
  format.photometric = dataset.text(kPhotometric);
  format.frames = dicom_frames(dataset);
  check_bits(format);
  check_channels(format);
  check_image_size(format.height, format.width);
  return format;
}

}  // namespace cubcal
