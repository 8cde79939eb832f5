#include "cubcal/dicom/dicom_image.h"
#include "cubcal/image/image_codec.h"
#include "cubcal/image/jpeg_image.h"
#include "cubcal/image/png_image.h"

namespace cubcal {

namespace {

template <Image (*decode)(std::string_view, const std::string&)>
Image decode_without_options(std::string_view bytes, const std::string& name,
                             const ImageFileOptions&) {
  return decode(bytes, name);
}

}  // namespace

const std::vector<ImageCodec>& image_codecs() {
  static const std::vector<ImageCodec> codecs = {
      {"PNG", {"png"}, is_png, is_png, decode_without_options<decode_png>},
      {"JPEG", {"jpg", "jpeg"}, is_jpeg, is_jpeg, decode_without_options<decode_jpeg>},
      {"DICOM", {"dcm"}, has_dicom_preamble, is_dicom, decode_dicom},
  };
  return codecs;
}

}  // namespace cubcal
