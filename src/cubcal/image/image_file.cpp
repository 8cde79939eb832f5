#include "cubcal/image/image_file.h"

#include <algorithm>
#include <iterator>

#include "cubcal/core/error.h"
#include "cubcal/core/words.h"
#include "cubcal/image/image_codec.h"
#include "cubcal/image/jpeg_image.h"
#include "cubcal/image/png_image.h"
#include "cubcal/image/tiff_image.h"
#include "cubcal/image/webp_image.h"
#include "cubcal/io/atomic_file.h"

namespace cubcal {

namespace {

constexpr std::size_t kLargestFile = std::size_t{1} << 29;

}  // namespace

bool is_png(std::string_view bytes) { return starts_with(bytes, "\x89PNG\r\n\x1a\n"); }

bool is_tiff(std::string_view bytes) {
  constexpr std::string_view kHeads[] = {{"II*\0", 4}, {"MM\0*", 4}, {"II+\0", 4}, {"MM\0+", 4}};
  const bool has_head =
      std::any_of(std::begin(kHeads), std::end(kHeads),
                  [&](std::string_view head) { return starts_with(bytes, head); });
  return has_head &&
         bytes.substr(0, 132).substr(std::min<std::size_t>(128, bytes.size())) != "DICM";
}

bool is_webp(std::string_view bytes) {
  return starts_with(bytes, "RIFF") && bytes.size() >= 12 && bytes.substr(8, 4) == "WEBP";
}

bool is_jpegxl(std::string_view bytes) {
  constexpr std::string_view kBox{"\0\0\0\fJXL \r\n\x87\n", 12};
  return starts_with(bytes, "\xff\x0a") || starts_with(bytes, kBox);
}

bool is_jpeg(std::string_view bytes) { return starts_with(bytes, "\xff\xd8\xff"); }

Image read_image_file(const std::string& path, const ImageFileOptions& options) {
  return decode_image(read_text_file(path, kLargestFile), path, options);
}

Image decode_image(std::string_view bytes, const std::string& name,
                   const ImageFileOptions& options) {
  for (const ImageCodec& codec : image_codecs()) {
    if (codec.recognises(bytes)) return codec.decode(bytes, name, options);
  }
  throw DataError("'" + name + "' is not an image of a format that is read (" +
                  image_format_names() + ")");
}

std::string image_format_names() {
  std::string names;
  const std::vector<ImageCodec>& codecs = image_codecs();
  for (std::size_t i = 0; i < codecs.size(); ++i) {
    names += (i == 0 ? "" : i + 1 == codecs.size() ? " and " : ", ") + std::string(codecs[i].name);
  }
  return names;
}

}  // namespace cubcal
