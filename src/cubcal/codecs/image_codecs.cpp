#include "cubcal/dicom/dicom_image.h"
#include "cubcal/image/image_codec.h"
#include "cubcal/image/jpeg_image.h"
#include "cubcal/image/png_image.h"

namespace cubcal {

namespace {

template <Image (*decode)(std::string_view, const std::string&, std::size_t)>
Image decode_limited(std::string_view bytes, const std::string& name,
                     const ImageFileOptions& options) {
  return decode(bytes, name, options.max_pixels);
}

}  // namespace

const std::vector<ImageCodec>& image_codecs() {
  static const std::vector<ImageCodec> codecs = {
      {"PNG", {"png"}, is_png, is_png, decode_limited<decode_png>},
      {"JPEG", {"jpg", "jpeg"}, is_jpeg, is_jpeg, decode_limited<decode_jpeg>},
      {"DICOM", {"dcm"}, has_dicom_preamble, is_dicom, decode_dicom},
  };
  return codecs;
}

}  // namespace cubcal
