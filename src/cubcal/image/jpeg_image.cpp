#include "cubcal/image/jpeg_image.h"

#include <csetjmp>
// jpeglib.h needs FILE and size_t to be known.
// clang-format off
#include <cstddef>
#include <cstdio>
#include <jpeglib.h>
// clang-format on

#include "cubcal/core/error.h"
#include "cubcal/image/image_check.h"
#include "cubcal/image/orientation.h"

// libjpeg reports errors through a callback that must not return: it jumps. Everything with a
// destructor lives in Decoder, outside the functions that call setjmp.

namespace cubcal {

namespace {

/// A byte of Huffman codes holds no more pixels: every block of 8 x 8 takes a bit at least.
constexpr std::size_t kPixelsPerByte = 512;

struct Decoder {
  jpeg_decompress_struct jpeg{};
  jpeg_error_mgr errors{};
  std::jmp_buf leave{};
  char reason[JMSG_LENGTH_MAX] = "it cannot be decoded";
  std::vector<std::uint8_t> rows;

  ~Decoder() { jpeg_destroy_decompress(&jpeg); }
};

Decoder& decoder_of(j_common_ptr jpeg) { return *static_cast<Decoder*>(jpeg->client_data); }

[[noreturn]] void on_error(j_common_ptr jpeg) {
  Decoder& decoder = decoder_of(jpeg);
  jpeg->err->format_message(jpeg, decoder.reason);
  std::longjmp(decoder.leave, 1);
}

/// Negative levels are warnings about damaged data; the others are traces.
void on_message(j_common_ptr jpeg, int level) {
  if (level < 0) on_error(jpeg);
}

void on_output(j_common_ptr) {}

bool read_head(Decoder& decoder, std::string_view bytes) {
  if (setjmp(decoder.leave) != 0) return false;
  jpeg_create_decompress(&decoder.jpeg);
  decoder.jpeg.client_data = &decoder;
  jpeg_mem_src(&decoder.jpeg, reinterpret_cast<const unsigned char*>(bytes.data()),
               static_cast<unsigned long>(bytes.size()));
  jpeg_read_header(&decoder.jpeg, TRUE);
  switch (decoder.jpeg.jpeg_color_space) {
    case JCS_GRAYSCALE: decoder.jpeg.out_color_space = JCS_GRAYSCALE; break;
    case JCS_CMYK:
    case JCS_YCCK: decoder.jpeg.out_color_space = JCS_CMYK; break;
    default: decoder.jpeg.out_color_space = JCS_RGB;
  }
  jpeg_calc_output_dimensions(&decoder.jpeg);
  return true;
}

bool read_rows(Decoder& decoder) {
  if (setjmp(decoder.leave) != 0) return false;
  jpeg_start_decompress(&decoder.jpeg);
  const std::size_t row = std::size_t{decoder.jpeg.output_width} *
                          static_cast<std::size_t>(decoder.jpeg.output_components);
  while (decoder.jpeg.output_scanline < decoder.jpeg.output_height) {
    JSAMPROW target = decoder.rows.data() + decoder.jpeg.output_scanline * row;
    jpeg_read_scanlines(&decoder.jpeg, &target, 1);
  }
  jpeg_finish_decompress(&decoder.jpeg);
  return true;
}

/// Adobe stores inks inverted, so that 255 means no ink.
std::vector<std::uint8_t> rgb_from_cmyk(const std::vector<std::uint8_t>& inks, bool inverted) {
  std::vector<std::uint8_t> rgb;
  rgb.reserve(inks.size() / 4 * 3);
  for (std::size_t i = 0; i + 3 < inks.size(); i += 4) {
    const unsigned black = inverted ? inks[i + 3] : 255U - inks[i + 3];
    for (std::size_t c = 0; c < 3; ++c) {
      const unsigned light = inverted ? inks[i + c] : 255U - inks[i + c];
      rgb.push_back(static_cast<std::uint8_t>((light * black + 127) / 255));
    }
  }
  return rgb;
}

DataError jpeg_failure(const std::string& name, const char* reason) {
  return DataError("the JPEG image '" + name + "' cannot be read: " + reason);
}

}  // namespace

Image decode_jpeg(std::string_view bytes, const std::string& name, std::size_t max_pixels) {
  Decoder decoder;
  decoder.jpeg.err = jpeg_std_error(&decoder.errors);
  decoder.errors.error_exit = on_error;
  decoder.errors.emit_message = on_message;
  decoder.errors.output_message = on_output;
  decoder.jpeg.client_data = &decoder;
  if (!read_head(decoder, bytes)) throw jpeg_failure(name, decoder.reason);
  const jpeg_decompress_struct& jpeg = decoder.jpeg;
  const std::size_t height = jpeg.output_height;
  const std::size_t width = jpeg.output_width;
  const auto channels = static_cast<std::size_t>(jpeg.output_components);
  if (height == 0 || width > max_pixels / height) {
    throw jpeg_failure(name, too_many_pixels(max_pixels).c_str());
  }
  if (jpeg.arith_code) throw jpeg_failure(name, "it is arithmetic-coded, which is not supported");
  if (height * width / kPixelsPerByte > bytes.size()) {
    throw jpeg_failure(name, "it promises more pixels than its bytes can hold");
  }
  decoder.rows.resize(height * width * channels);
  if (!read_rows(decoder)) throw jpeg_failure(name, decoder.reason);
  Image image{height, width, channels};
  if (channels == 4) {
    image.channels = 3;
    image.pixels = rgb_from_cmyk(decoder.rows, jpeg.saw_Adobe_marker == TRUE);
  } else {
    image.pixels = std::move(decoder.rows);
  }
  return upright(std::move(image), jpeg_orientation(bytes));
}

}  // namespace cubcal
