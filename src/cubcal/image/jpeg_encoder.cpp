#include "cubcal/image/jpeg_encoder.h"

#include <csetjmp>
// jpeglib.h needs FILE and size_t to be known.
// clang-format off
#include <cstddef>
#include <cstdio>
#include <jpeglib.h>
// clang-format on

#include <cstdlib>

#include "cubcal/core/error.h"
#include "cubcal/image/image_check.h"

// As in jpeg_image.cpp, what has a destructor lives outside the function that calls setjmp.

namespace cubcal {

namespace {

constexpr std::size_t kLongestSide = 65'500;

struct Encoder {
  jpeg_compress_struct jpeg{};
  jpeg_error_mgr errors{};
  std::jmp_buf leave{};
  char reason[JMSG_LENGTH_MAX] = "it cannot be encoded";
  unsigned char* bytes = nullptr;  ///< grown by libjpeg with malloc
  unsigned long size = 0;

  ~Encoder() {
    jpeg_destroy_compress(&jpeg);
    std::free(bytes);
  }
};

[[noreturn]] void on_error(j_common_ptr jpeg) {
  auto& encoder = *static_cast<Encoder*>(jpeg->client_data);
  jpeg->err->format_message(jpeg, encoder.reason);
  std::longjmp(encoder.leave, 1);
}

void on_message(j_common_ptr, int) {}

void on_output(j_common_ptr) {}

/// False where libjpeg jumped out.
bool write_image(Encoder& encoder, const Image& image, int quality) {
  if (setjmp(encoder.leave) != 0) return false;
  jpeg_compress_struct& jpeg = encoder.jpeg;
  jpeg_create_compress(&jpeg);
  jpeg.client_data = &encoder;
  jpeg_mem_dest(&jpeg, &encoder.bytes, &encoder.size);
  jpeg.image_width = static_cast<JDIMENSION>(image.width);
  jpeg.image_height = static_cast<JDIMENSION>(image.height);
  jpeg.input_components = static_cast<int>(image.channels);
  jpeg.in_color_space = image.channels == 3 ? JCS_RGB : JCS_GRAYSCALE;
  jpeg_set_defaults(&jpeg);
  jpeg_set_quality(&jpeg, quality, TRUE);
  jpeg_start_compress(&jpeg, TRUE);
  const std::size_t row = image.width * image.channels;
  while (jpeg.next_scanline < jpeg.image_height) {
    // libjpeg only reads from it, and its interface is older than const.
    auto* source = const_cast<JSAMPROW>(image.pixels.data() + jpeg.next_scanline * row);
    jpeg_write_scanlines(&jpeg, &source, 1);
  }
  jpeg_finish_compress(&jpeg);
  return true;
}

}  // namespace

std::string encode_jpeg(const Image& image, int quality) {
  check_image(image);
  if (quality < 1 || quality > 100) {
    throw ArgumentError("the quality of a JPEG image must be from 1 to 100, not " +
                        std::to_string(quality));
  }
  if (image.is_deep()) {
    throw ArgumentError("a JPEG image has 8 bits, and the image to be written has 16");
  }
  if (image.height > kLongestSide || image.width > kLongestSide) {
    throw ArgumentError(
        "a JPEG image has at most 65500 pixels on a side, and the image to be "
        "written has " +
        std::to_string(image.width) + " x " + std::to_string(image.height));
  }
  Encoder encoder;
  encoder.jpeg.err = jpeg_std_error(&encoder.errors);
  encoder.errors.error_exit = on_error;
  encoder.errors.emit_message = on_message;
  encoder.errors.output_message = on_output;
  encoder.jpeg.client_data = &encoder;
  if (!write_image(encoder, image, quality)) {
    throw ArgumentError(std::string("the image cannot be written as JPEG: ") + encoder.reason);
  }
  return {reinterpret_cast<const char*>(encoder.bytes), encoder.size};
}

}  // namespace cubcal
