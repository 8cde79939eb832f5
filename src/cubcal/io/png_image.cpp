#include "cubcal/io/png_image.h"

#include <png.h>

#include <algorithm>
#include <csetjmp>
#include <cstring>

#include "cubcal/core/error.h"

// libpng reports errors by longjmp, which must not cross an object with a destructor. Everything
// with a destructor therefore lives in Decoder, outside the functions that call setjmp.

namespace cubcal {

namespace {

struct Decoder {
  std::string_view bytes;
  std::size_t position = 0;
  char reason[256] = "it cannot be decoded";
  png_structp png = nullptr;
  png_infop info = nullptr;
  std::vector<std::uint8_t> rows;  ///< height * width * channels, alpha included
  std::vector<png_bytep> row_pointers;
  std::size_t height = 0;
  std::size_t width = 0;
  std::size_t channels = 0;

  ~Decoder() { png_destroy_read_struct(&png, &info, nullptr); }
};

void on_error(png_structp png, png_const_charp message) {
  auto* decoder = static_cast<Decoder*>(png_get_error_ptr(png));
  std::strncpy(decoder->reason, message, sizeof decoder->reason - 1);
  png_longjmp(png, 1);
}

void on_warning(png_structp, png_const_charp) {}

void read_bytes(png_structp png, png_bytep out, png_size_t count) {
  auto* decoder = static_cast<Decoder*>(png_get_io_ptr(png));
  if (count > decoder->bytes.size() - decoder->position) png_error(png, "the file is cut short");
  std::memcpy(out, decoder->bytes.data() + decoder->position, count);
  decoder->position += count;
}

/// False where libpng jumped out.
bool read_head(Decoder& decoder) {
  if (setjmp(png_jmpbuf(decoder.png)) != 0) return false;
  png_set_read_fn(decoder.png, &decoder, read_bytes);
  png_set_user_limits(decoder.png, kMaxImagePixels, kMaxImagePixels);
  png_read_info(decoder.png, decoder.info);
  png_set_expand(decoder.png);    // palettes, fewer than 8 bits, transparent colours
  png_set_scale_16(decoder.png);  // rounds, where png_set_strip_16 would cut off
  png_set_interlace_handling(decoder.png);
  png_read_update_info(decoder.png, decoder.info);
  decoder.height = png_get_image_height(decoder.png, decoder.info);
  decoder.width = png_get_image_width(decoder.png, decoder.info);
  decoder.channels = png_get_channels(decoder.png, decoder.info);
  return true;
}

bool read_rows(Decoder& decoder) {
  if (setjmp(png_jmpbuf(decoder.png)) != 0) return false;
  png_read_image(decoder.png, decoder.row_pointers.data());
  png_read_end(decoder.png, nullptr);
  return true;
}

/// Lays gray + alpha or RGBA on black: v a / 255, rounded.
Image on_black(const Decoder& decoder) {
  Image image{decoder.height, decoder.width, decoder.channels - 1, {}};
  image.pixels.reserve(image.height * image.width * image.channels);
  for (std::size_t i = 0; i < decoder.rows.size(); i += decoder.channels) {
    const unsigned alpha = decoder.rows[i + image.channels];
    for (std::size_t c = 0; c < image.channels; ++c) {
      image.pixels.push_back(static_cast<std::uint8_t>((decoder.rows[i + c] * alpha + 127) / 255));
    }
  }
  return image;
}

DataError png_failure(const std::string& name, const char* reason) {
  return DataError("the PNG image '" + name + "' cannot be read: " + reason);
}

}  // namespace

Image decode_png(std::string_view bytes, const std::string& name) {
  Decoder decoder;
  decoder.bytes = bytes;
  decoder.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &decoder, on_error, on_warning);
  if (decoder.png != nullptr) decoder.info = png_create_info_struct(decoder.png);
  if (decoder.info == nullptr) throw png_failure(name, "there is not enough memory");
  if (!read_head(decoder)) throw png_failure(name, decoder.reason);
  if (decoder.width > kMaxImagePixels / decoder.height) {
    throw png_failure(name, "it has more than 100 million pixels");
  }
  const std::size_t row = decoder.width * decoder.channels;
  decoder.rows.resize(decoder.height * row);
  for (std::size_t y = 0; y < decoder.height; ++y) {
    decoder.row_pointers.push_back(decoder.rows.data() + y * row);
  }
  if (!read_rows(decoder)) throw png_failure(name, decoder.reason);
  const bool has_alpha = decoder.channels == 2 || decoder.channels == 4;
  if (has_alpha) return on_black(decoder);
  return {decoder.height, decoder.width, decoder.channels, std::move(decoder.rows)};
}

}  // namespace cubcal
