#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "cubcal/core/error.h"
#include "cubcal/dicom/dicom_image.h"
#include "cubcal/dicom/dicom_pixel_format.h"

namespace {

/// Images of JPEG-LS may promise much with few bytes; the fuzzer's memory goes to more tries.
bool is_small(std::string_view bytes) {
  const cubcal::DicomFile file = cubcal::read_dicom(bytes, cubcal::kDicomPixels);
  return cubcal::read_dicom_pixel_format(file.dataset).values() <= 4'000'000;
}

}  // namespace

// Any bytes are an image or a DataError, whatever the window and the frame.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  cubcal::is_dicom(bytes);
  cubcal::ImageFileOptions options;
  options.dicom_window = static_cast<cubcal::DicomWindow>(size % 3);
  if (size % 2 == 0) options.dicom_frame = size % 5;
  try {
    if (!is_small(bytes)) return 0;
    const cubcal::Image image = cubcal::decode_dicom(bytes, "input", options);
    const std::size_t levels = image.height * image.width * image.channels;
    if (image.pixels.size() + image.deep_pixels.size() != levels) std::abort();
  } catch (const cubcal::DataError&) {
  }
  return 0;
}
