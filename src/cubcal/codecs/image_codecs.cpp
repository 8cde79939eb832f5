#include "cubcal/dicom/dicom_image.h"
#include "cubcal/image/bmp_image.h"
#include "cubcal/image/gif_image.h"
#include "cubcal/image/image_codec.h"
#include "cubcal/image/jpeg2000_image.h"
#include "cubcal/image/jpeg_image.h"
#include "cubcal/image/jpegxl_image.h"
#include "cubcal/image/png_image.h"
#include "cubcal/image/tiff_image.h"
#include "cubcal/image/webp_image.h"

namespace cubcal {

namespace {

template <Image (*decode)(std::string_view, const std::string&, std::size_t)>
Image decode_limited(std::string_view bytes, const std::string& name,
                     const ImageFileOptions& options) {
  return decode(bytes, name, options.max_pixels);
}

Image decode_tiff_page(std::string_view bytes, const std::string& name,
                       const ImageFileOptions& options) {
  return decode_tiff(bytes, name, options.dicom_frame, options.max_pixels);
}

}  // namespace

const std::vector<ImageCodec>& image_codecs() {
  static const std::vector<ImageCodec> codecs = {
      {"PNG", {"png"}, is_png, is_png, decode_limited<decode_png>},
      {"JPEG", {"jpg", "jpeg"}, is_jpeg, is_jpeg, decode_limited<decode_jpeg>},
      {"TIFF", {"tif", "tiff"}, is_tiff, is_tiff, decode_tiff_page},
      {"BMP", {"bmp", "dib"}, is_bmp, is_bmp, decode_limited<decode_bmp>},
      {"WebP", {"webp"}, is_webp, is_webp, decode_limited<decode_webp>},
      {"GIF", {"gif"}, is_gif, is_gif, decode_limited<decode_gif>},
      {"JPEG 2000",
       {"jp2", "j2k", "jpf", "jpx", "j2c", "jpc"},
       is_jpeg2000,
       is_jpeg2000,
       decode_limited<decode_jpeg2000>},
      {"JPEG XL", {"jxl"}, is_jpegxl, is_jpegxl, decode_limited<decode_jpegxl>},
      {"DICOM", {"dcm", "dicom"}, has_dicom_preamble, is_dicom, decode_dicom},
  };
  return codecs;
}

}  // namespace cubcal
