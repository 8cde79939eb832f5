#include "cubcal/image/jpegxl_image.h"

#include <jxl/decode.h>

#include <memory>

#include "cubcal/image/image_failure.h"
#include "cubcal/image/on_black.h"
#include "cubcal/image/orientation.h"

namespace cubcal {

namespace {

/// Photographs at the lowest quality have some 100 pixels a byte. An image of one colour takes some
/// 20 bytes whatever its size, and is refused where it is large: the decoder needs tens of bytes of
/// memory for each pixel, which a tiny file must not ask for.
constexpr std::size_t kJpegxlPixelsPerByte = 1'000;

using Decoder = std::unique_ptr<JxlDecoder, decltype(&::JxlDecoderDestroy)>;

void check_step(JxlDecoderStatus status) {
  if (status != JXL_DEC_SUCCESS) throw DataError("it is damaged or cut short");
}

/// Goes on to the wanted event; anything else means that the file does not have it.
void go_to(const Decoder& decoder, JxlDecoderStatus wanted) {
  if (::JxlDecoderProcessInput(decoder.get()) != wanted) {
    throw DataError("it is damaged or cut short");
  }
}

bool has_black_ink(const Decoder& decoder, const JxlBasicInfo& info) {
  for (std::uint32_t i = 0; i < info.num_extra_channels; ++i) {
    JxlExtraChannelInfo extra{};
    check_step(::JxlDecoderGetExtraChannelInfo(decoder.get(), i, &extra));
    if (extra.type == JXL_CHANNEL_BLACK) return true;
  }
  return false;
}

void check_kind(const Decoder& decoder, const JxlBasicInfo& info) {
  if (info.have_animation != 0) throw DataError("it is an animation, of which none is decoded");
  if (info.exponent_bits_per_sample > 0) {
    throw DataError("its levels are floating-point numbers, of which none are decoded");
  }
  if (has_black_ink(decoder, info)) throw DataError("it is CMYK, which is not decoded");
}

template <class Level>
void read_levels(const Decoder& decoder, Image& image, std::vector<Level>& levels) {
  const JxlPixelFormat format{static_cast<std::uint32_t>(image.channels),
                              sizeof(Level) == 1 ? JXL_TYPE_UINT8 : JXL_TYPE_UINT16,
                              JXL_NATIVE_ENDIAN, 0};
  levels.resize(image.height * image.width * image.channels);
  go_to(decoder, JXL_DEC_NEED_IMAGE_OUT_BUFFER);
  check_step(::JxlDecoderSetImageOutBuffer(decoder.get(), &format, levels.data(),
                                           levels.size() * sizeof(Level)));
  go_to(decoder, JXL_DEC_FULL_IMAGE);
  const bool has_alpha = image.channels % 2 == 0;
  if (has_alpha) {
    levels = on_black(levels, image.channels);
    --image.channels;
  }
}

Image decode_still_jpegxl(std::string_view bytes, std::size_t max_pixels) {
  const Decoder decoder(::JxlDecoderCreate(nullptr), ::JxlDecoderDestroy);
  if (!decoder) throw DataError("there is no memory for it");
  check_step(::JxlDecoderSubscribeEvents(decoder.get(), JXL_DEC_BASIC_INFO | JXL_DEC_FULL_IMAGE));
  check_step(::JxlDecoderSetKeepOrientation(decoder.get(), JXL_TRUE));
  check_step(::JxlDecoderSetInput(
      decoder.get(), reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()));
  ::JxlDecoderCloseInput(decoder.get());
  go_to(decoder, JXL_DEC_BASIC_INFO);
  JxlBasicInfo info{};
  check_step(::JxlDecoderGetBasicInfo(decoder.get(), &info));
  check_image_size(info.ysize, info.xsize, max_pixels);
  check_promise(info.ysize, info.xsize, bytes.size(), kJpegxlPixelsPerByte);
  check_kind(decoder, info);
  // Premultiplied colours lie on black already.
  const bool has_alpha = info.alpha_bits > 0 && info.alpha_premultiplied == 0;
  Image image{info.ysize, info.xsize, info.num_color_channels + std::size_t{has_alpha ? 1U : 0U}};
  check_image_bytes(image.height, image.width, image.channels, info.bits_per_sample > 8 ? 2 : 1);
  if (info.bits_per_sample > 8) {
    read_levels(decoder, image, image.deep_pixels);
  } else {
    read_levels(decoder, image, image.pixels);
  }
  return upright(std::move(image), info.orientation);
}

}  // namespace

Image decode_jpegxl(std::string_view bytes, const std::string& name, std::size_t max_pixels) {
  try {
    return decode_still_jpegxl(bytes, max_pixels);
  } catch (const DataError& error) {
    throw image_failure("JPEG XL", name, error.what());
  }
}

}  // namespace cubcal
