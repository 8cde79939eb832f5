#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "cubcal/core/error.h"
#include "cubcal/image/image_codec.h"

// Any bytes are an image or a DataError, in whichever format they start. DICOM, PNG and JPEG have
// fuzzers of their own.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  cubcal::ImageFileOptions options;
  if (size % 2 == 0) options.dicom_frame = size % 3;
  for (const cubcal::ImageCodec& codec : cubcal::image_codecs()) {
    const bool is_elsewhere = codec.name == "DICOM" || codec.name == "PNG";
    if (is_elsewhere || !codec.recognises(bytes)) continue;
    try {
      const cubcal::Image image = codec.decode(bytes, "input", options);
      const std::size_t levels = image.height * image.width * image.channels;
      if (image.pixels.size() + image.deep_pixels.size() != levels) std::abort();
    } catch (const cubcal::DataError&) {
    }
  }
  return 0;
}
