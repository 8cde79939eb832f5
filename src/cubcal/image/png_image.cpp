#include "cubcal/image/png_image.h"

#include <png.h>

#include <csetjmp>
#include <cstring>
#include <utility>

#include "cubcal/core/checksums.h"
#include "cubcal/core/error.h"
#include "cubcal/image/image_check.h"
#include "cubcal/image/on_black.h"
#include "cubcal/image/orientation.h"

// libpng reports errors by longjmp, which must not cross an object with a destructor. Everything
// with a destructor therefore lives in Decoder, outside the functions that call setjmp.

namespace cubcal {

namespace {

/// Deflate packs no more bytes than this into one.
constexpr std::size_t kDeflateRatio = 1032;

struct Decoder {
  std::string_view bytes;
  std::size_t position = 0;
  char reason[256] = "it cannot be decoded";
  png_structp png = nullptr;
  png_infop info = nullptr;
  Image rows;  ///< as it comes, alpha included
  std::vector<png_bytep> row_pointers;
  bool deep = false;
  std::size_t packed_bytes = 0;  ///< of all rows before they are expanded

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
  if (!checksums_count) {
    png_set_crc_action(decoder.png, PNG_CRC_QUIET_USE, PNG_CRC_QUIET_USE);
#ifdef PNG_IGNORE_ADLER32  // older libraries cannot
    png_set_option(decoder.png, PNG_IGNORE_ADLER32, PNG_OPTION_ON);
#endif
  }
  // Of what is no pixel libpng takes the memory that a length promises or a text inflates to. All
  // of it is passed over (-1: what libpng knows and what it does not), the EXIF data are read from
  // what there is of them (orientation.cpp).
  png_set_keep_unknown_chunks(decoder.png, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);
  png_read_info(decoder.png, decoder.info);
  decoder.rows.height = png_get_image_height(decoder.png, decoder.info);
  decoder.rows.width = png_get_image_width(decoder.png, decoder.info);
  decoder.packed_bytes = decoder.rows.height * png_get_rowbytes(decoder.png, decoder.info);
  return true;
}

/// Asks for bytes or words without palettes. libpng takes memory for a row here.
bool choose_levels(Decoder& decoder) {
  if (setjmp(png_jmpbuf(decoder.png)) != 0) return false;
  png_set_expand(decoder.png);  // palettes, fewer than 8 bits, transparent colours
  if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) png_set_swap(decoder.png);
  png_set_interlace_handling(decoder.png);
  png_read_update_info(decoder.png, decoder.info);
  decoder.rows.channels = png_get_channels(decoder.png, decoder.info);
  decoder.deep = png_get_bit_depth(decoder.png, decoder.info) == 16;
  return true;
}

bool read_rows(Decoder& decoder) {
  if (setjmp(png_jmpbuf(decoder.png)) != 0) return false;
  png_read_image(decoder.png, decoder.row_pointers.data());
  png_read_end(decoder.png, nullptr);
  return true;
}

/// Makes room for the rows in `pixels`, which is a vector of decoder.rows.
template <class Level>
void allocate(Decoder& decoder, std::vector<Level>& pixels) {
  const std::size_t row = decoder.rows.width * decoder.rows.channels;
  pixels.resize(decoder.rows.height * row);
  for (std::size_t y = 0; y < decoder.rows.height; ++y) {
    decoder.row_pointers.push_back(reinterpret_cast<png_bytep>(pixels.data() + y * row));
  }
}

DataError png_failure(const std::string& name, const char* reason) {
  return DataError("the PNG image '" + name + "' cannot be read: " + reason);
}

}  // namespace

Image decode_png(std::string_view bytes, const std::string& name, std::size_t max_pixels) {
  Decoder decoder;
  decoder.bytes = bytes;
  decoder.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &decoder, on_error, on_warning);
  if (decoder.png != nullptr) decoder.info = png_create_info_struct(decoder.png);
  if (decoder.info == nullptr) throw png_failure(name, "there is not enough memory");
  if (!read_head(decoder)) throw png_failure(name, decoder.reason);
  Image& image = decoder.rows;
  if (image.width > max_pixels / image.height) {
    throw png_failure(name, too_many_pixels(max_pixels).c_str());
  }
  if (decoder.packed_bytes / kDeflateRatio > bytes.size()) {
    throw png_failure(name, "it promises more pixels than its bytes can hold");
  }
  if (!choose_levels(decoder)) throw png_failure(name, decoder.reason);
  if (image.height * image.width * image.channels * (decoder.deep ? 2 : 1) > kMaxImageBytes) {
    throw png_failure(name, too_many_bytes().c_str());
  }
  if (decoder.deep) {
    allocate(decoder, image.deep_pixels);
  } else {
    allocate(decoder, image.pixels);
  }
  if (!read_rows(decoder)) throw png_failure(name, decoder.reason);
  const bool has_alpha = image.channels == 2 || image.channels == 4;
  if (has_alpha) {
    image.pixels = on_black(image.pixels, image.channels);
    image.deep_pixels = on_black(image.deep_pixels, image.channels);
    --image.channels;
  }
  return upright(std::move(image), png_orientation(bytes));
}

}  // namespace cubcal
