#include "cubcal/dicom/dicom_rle.h"

#include <algorithm>

#include "cubcal/core/error.h"

namespace cubcal {

namespace {

constexpr std::size_t kHeadSize = 64;
/// Two bytes make a run of 128.
constexpr std::size_t kLargestRatio = 64;

/// Adds the bytes of one plane to values[start], values[start + step], ... from `shift` bits up.
void decode_plane(std::string_view packed, std::vector<std::uint16_t>& values, std::size_t start,
                  std::size_t step, unsigned shift) {
  std::size_t target = start;
  std::size_t position = 0;
  const auto put = [&](char byte) {
    if (target >= values.size()) return;
    const unsigned raised = unsigned{static_cast<unsigned char>(byte)} << shift;
    values[target] = static_cast<std::uint16_t>(values[target] | raised);
    target += step;
  };
  while (target < values.size()) {
    if (position + 1 >= packed.size()) throw DataError("its run-length coded pixels are cut short");
    const std::size_t code = static_cast<unsigned char>(packed[position++]);
    if (code < 128) {
      const std::size_t count = code + 1;
      if (count > packed.size() - position) {
        throw DataError("its run-length coded pixels are cut short");
      }
      for (std::size_t i = 0; i < count; ++i) put(packed[position + i]);
      position += count;
    } else if (code > 128) {
      for (std::size_t i = 0; i < 257 - code; ++i) put(packed[position]);
      ++position;
    }
  }
}

}  // namespace

std::vector<std::uint16_t> decode_dicom_rle(std::string_view frame,
                                            const DicomPixelFormat& format) {
  const std::size_t value_bytes = format.bits_allocated / 8;
  const std::size_t planes = format.samples * value_bytes;
  if (frame.size() < kHeadSize || format.values() * value_bytes / kLargestRatio > frame.size()) {
    throw DataError("its run-length coded pixels are cut short");
  }
  if (dicom_u32(frame, 0) != planes) {
    throw DataError("its run-length coded pixels have " + std::to_string(dicom_u32(frame, 0)) +
                    " planes where " + std::to_string(planes) + " are needed");
  }
  std::vector<std::uint16_t> values(format.values(), 0);
  for (std::size_t plane = 0; plane < planes; ++plane) {
    const std::size_t start = dicom_u32(frame, 4 + 4 * plane);
    const bool is_last = plane + 1 == planes;
    const std::size_t end = is_last ? frame.size() : dicom_u32(frame, 8 + 4 * plane);
    if (start < kHeadSize || start > end || end > frame.size()) {
      throw DataError("the planes of its run-length coded pixels are damaged");
    }
    const std::size_t byte_of_value = value_bytes - 1 - plane % value_bytes;
    decode_plane(frame.substr(start, end - start), values, plane / value_bytes, format.samples,
                 static_cast<unsigned>(8 * byte_of_value));
  }
  return values;
}

}  // namespace cubcal
