#include "cubcal/image/image_file.h"

#include "cubcal/core/error.h"
#include "cubcal/image/image_codec.h"
#include "cubcal/image/jpeg_image.h"
#include "cubcal/image/png_image.h"
#include "cubcal/io/atomic_file.h"

namespace cubcal {

namespace {

constexpr std::size_t kLargestFile = std::size_t{1} << 29;

bool starts_with(std::string_view bytes, std::string_view signature) {
  return bytes.substr(0, signature.size()) == signature;
}

}  // namespace

bool is_png(std::string_view bytes) { return starts_with(bytes, "\x89PNG\r\n\x1a\n"); }

bool is_jpeg(std::string_view bytes) { return starts_with(bytes, "\xff\xd8\xff"); }

Image read_image_file(const std::string& path, const ImageFileOptions& options) {
  return decode_image(read_text_file(path, kLargestFile), path, options);
}

Image decode_image(std::string_view bytes, const std::string& name,
                   const ImageFileOptions& options) {
  std::string names;
  for (const ImageCodec& codec : image_codecs()) {
    if (codec.recognises(bytes)) return codec.decode(bytes, name, options);
    names += (names.empty() ? "neither a " : " nor a ") + std::string(codec.name);
  }
  throw DataError("'" + name + "' is " + names + " image");
}

}  // namespace cubcal
