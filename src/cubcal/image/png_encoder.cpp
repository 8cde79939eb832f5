#include "cubcal/image/png_encoder.h"

#include <png.h>

#include <csetjmp>
#include <cstring>
#include <new>

#include "cubcal/core/error.h"
#include "cubcal/image/image_check.h"

// As in png_image.cpp, what has a destructor lives outside the function that calls setjmp.

namespace cubcal {

namespace {

struct Encoder {
  png_structp png = nullptr;
  png_infop info = nullptr;
  char reason[256] = "it cannot be encoded";
  std::string bytes;
  bool lacks_memory = false;

  ~Encoder() { png_destroy_write_struct(&png, &info); }
};

void on_error(png_structp png, png_const_charp message) {
  auto* encoder = static_cast<Encoder*>(png_get_error_ptr(png));
  std::strncpy(encoder->reason, message, sizeof encoder->reason - 1);
  png_longjmp(png, 1);
}

void on_warning(png_structp, png_const_charp) {}

void write_bytes(png_structp png, png_bytep bytes, png_size_t count) {
  auto* encoder = static_cast<Encoder*>(png_get_io_ptr(png));
  // No exception may pass through libpng's functions, and no jump leave a handler.
  try {
    encoder->bytes.append(reinterpret_cast<const char*>(bytes), count);
  } catch (const std::bad_alloc&) {
    encoder->lacks_memory = true;
  }
  if (encoder->lacks_memory) png_error(png, "there is not enough memory");
}

void on_flush(png_structp) {}

/// False where libpng jumped out.
bool write_image(Encoder& encoder, const Image& image) {
  if (setjmp(png_jmpbuf(encoder.png)) != 0) return false;
  png_set_write_fn(encoder.png, &encoder, write_bytes, on_flush);
  png_set_IHDR(encoder.png, encoder.info, static_cast<png_uint_32>(image.width),
               static_cast<png_uint_32>(image.height), image.is_deep() ? 16 : 8,
               image.channels == 3 ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_GRAY, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(encoder.png, encoder.info);
  if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) png_set_swap(encoder.png);
  const auto* levels = image.is_deep()
                           ? reinterpret_cast<const std::uint8_t*>(image.deep_pixels.data())
                           : image.pixels.data();
  const std::size_t row = image.width * image.channels * (image.is_deep() ? 2 : 1);
  for (std::size_t y = 0; y < image.height; ++y) png_write_row(encoder.png, levels + y * row);
  png_write_end(encoder.png, nullptr);
  return true;
}

}  // namespace

std::string encode_png(const Image& image) {
  check_image(image);
  Encoder encoder;
  encoder.png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &encoder, on_error, on_warning);
  if (encoder.png != nullptr) encoder.info = png_create_info_struct(encoder.png);
  if (encoder.info == nullptr) throw std::bad_alloc();
  if (!write_image(encoder, image)) {
    if (encoder.lacks_memory) throw std::bad_alloc();
    throw ArgumentError(std::string("the image cannot be written as PNG: ") + encoder.reason);
  }
  return std::move(encoder.bytes);
}

}  // namespace cubcal
