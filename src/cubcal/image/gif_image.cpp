#include "cubcal/image/gif_image.h"

#include <array>
#include <cstdint>
#include <optional>

#include "cubcal/image/image_failure.h"

namespace cubcal {

namespace {

constexpr unsigned kMostCodeBits = 12;
constexpr std::size_t kMostCodes = std::size_t{1} << kMostCodeBits;
/// A code of LZW stands for at most 4096 pixels and takes no less than 9 bits where it does.
constexpr std::size_t kGifPixelsPerByte = 4096;

class GifBytes {
 public:
  explicit GifBytes(std::string_view bytes) : bytes_(bytes) {}

  unsigned byte() {
    if (place_ >= bytes_.size()) throw DataError("the file is cut short");
    return static_cast<unsigned char>(bytes_[place_++]);
  }
  std::size_t u16() {
    const unsigned low = byte();
    return low | byte() << 8;
  }
  std::string_view take(std::size_t count) {
    if (count > bytes_.size() - place_) throw DataError("the file is cut short");
    place_ += count;
    return bytes_.substr(place_ - count, count);
  }
  /// Blocks of up to 255 bytes, each after its length, to the empty one.
  std::string blocks() {
    std::string all;
    for (std::size_t size = byte(); size > 0; size = byte()) all += take(size);
    return all;
  }

 private:
  std::string_view bytes_;
  std::size_t place_ = 0;
};

/// Decodes LZW as GIF has it: codes of growing length, least significant bit first.
class LzwDecoder {
 public:
  LzwDecoder(std::string_view data, unsigned first_bits)
      : data_(data), first_bits_(checked(first_bits)), clear_(std::size_t{1} << first_bits_) {
    for (std::size_t i = 0; i < clear_; ++i) {
      suffix_[i] = static_cast<std::uint8_t>(i);
      length_[i] = 1;
    }
    reset();
  }

  std::vector<std::uint8_t> decode(std::size_t count) {
    std::vector<std::uint8_t> out;
    out.reserve(count);
    while (out.size() < count) {
      const std::optional<std::size_t> code = next_code();
      if (!code || *code == clear_ + 1) throw DataError("the file is cut short");
      if (*code == clear_) {
        reset();
      } else {
        append(*code, out);
      }
    }
    if (out.size() > count) out.resize(count);
    return out;
  }

 private:
  static unsigned checked(unsigned bits) {
    if (bits < 1 || bits > 8) throw DataError("the size of its codes is damaged");
    return bits;
  }

  void reset() {
    bits_ = first_bits_ + 1;
    next_ = clear_ + 2;
    previous_.reset();
  }

  std::optional<std::size_t> next_code() {
    while (held_bits_ < bits_) {
      if (place_ == data_.size()) return std::nullopt;
      held_ |= static_cast<std::uint32_t>(static_cast<unsigned char>(data_[place_++]))
               << held_bits_;
      held_bits_ += 8;
    }
    const std::size_t code = held_ & ((1U << bits_) - 1);
    held_ >>= bits_;
    held_bits_ -= bits_;
    return code;
  }

  std::uint8_t first_of(std::size_t code) const {
    while (length_[code] > 1) code = prefix_[code];
    return suffix_[code];
  }

  void append(std::size_t code, std::vector<std::uint8_t>& out) {
    const bool is_next = code == next_ && previous_;
    if (!is_next && (code >= next_ || (code >= clear_ && !previous_))) {
      throw DataError("it names a code that is not there");
    }
    if (previous_ && next_ < kMostCodes) {
      prefix_[next_] = static_cast<std::uint16_t>(*previous_);
      suffix_[next_] = first_of(is_next ? *previous_ : code);
      length_[next_] = static_cast<std::uint16_t>(length_[*previous_] + 1);
      ++next_;
      if (next_ == std::size_t{1} << bits_ && bits_ < kMostCodeBits) ++bits_;
    } else if (is_next) {
      throw DataError("it names a code that is not there");
    }
    std::size_t place = out.size() + length_[code];
    out.resize(place);
    for (std::size_t c = code; place > out.size() - length_[code]; c = prefix_[c]) {
      out[--place] = suffix_[c];
    }
    previous_ = code;
  }

  std::string_view data_;
  unsigned first_bits_;
  std::size_t clear_;
  std::size_t place_ = 0;
  std::uint32_t held_ = 0;
  unsigned held_bits_ = 0;
  unsigned bits_ = 0;
  std::size_t next_ = 0;
  std::optional<std::size_t> previous_ = {};
  std::array<std::uint16_t, kMostCodes> prefix_{};
  std::array<std::uint8_t, kMostCodes> suffix_{};
  std::array<std::uint16_t, kMostCodes> length_{};
};

/// Rows of an interlaced frame come in four passes.
std::vector<std::size_t> row_order(std::size_t height, bool interlaced) {
  std::vector<std::size_t> order;
  const std::array<std::pair<std::size_t, std::size_t>, 4> passes = {
      {{0, 8}, {4, 8}, {2, 4}, {1, 2}}};
  for (const auto& [first, step] : passes) {
    for (std::size_t y = interlaced ? first : 0; y < height; y += interlaced ? step : 1) {
      order.push_back(y);
    }
    if (!interlaced) break;
  }
  return order;
}

struct Placed {
  std::size_t left, top, width, height;
};

Image gif_canvas(std::size_t height, std::size_t width, const Placed& frame, bool interlaced,
                 const std::vector<std::uint8_t>& indices, std::string_view palette,
                 const std::optional<unsigned>& transparent) {
  bool is_gray = true;
  Image image{height, width, 3};
  image.pixels.assign(height * width * 3, 0);
  const std::vector<std::size_t> order = row_order(frame.height, interlaced);
  for (std::size_t i = 0; i < frame.height; ++i) {
    for (std::size_t x = 0; x < frame.width; ++x) {
      const std::size_t index = indices[i * frame.width + x];
      if (transparent && index == *transparent) continue;
      if (3 * index + 2 >= palette.size())
        throw DataError("a pixel names a colour beyond its palette");
      const std::string_view colour = palette.substr(3 * index, 3);
      is_gray = is_gray && colour[0] == colour[1] && colour[1] == colour[2];
      const std::size_t place = ((frame.top + order[i]) * width + frame.left + x) * 3;
      for (std::size_t c = 0; c < 3; ++c) {
        image.pixels[place + c] = static_cast<std::uint8_t>(colour[c]);
      }
    }
  }
  if (!is_gray) return image;
  for (std::size_t i = 0; i < height * width; ++i) image.pixels[i] = image.pixels[3 * i];
  image.pixels.resize(height * width);
  image.channels = 1;
  return image;
}

std::string_view read_gif_palette(GifBytes& bytes, unsigned flags) {
  if ((flags & 0x80U) == 0) return {};
  return bytes.take(std::size_t{3} << ((flags & 7U) + 1));
}

Image first_frame(std::string_view file, std::size_t max_pixels) {
  GifBytes bytes(file);
  bytes.take(6);
  const std::size_t width = bytes.u16();
  const std::size_t height = bytes.u16();
  const unsigned flags = bytes.byte();
  bytes.take(2);
  check_image_size(height, width, max_pixels);
  check_promise(height, width, file.size(), kGifPixelsPerByte);
  const std::string_view global = read_gif_palette(bytes, flags);
  std::optional<unsigned> transparent;
  for (;;) {
    const unsigned kind = bytes.byte();
    if (kind == 0x3b) throw DataError("it holds no frame");
    if (kind == 0x21) {
      const bool is_control = bytes.byte() == 0xf9;
      const std::string block = bytes.blocks();
      if (is_control && block.size() >= 4 && (block[0] & 1) != 0) {
        transparent = static_cast<unsigned char>(block[3]);
      }
      continue;
    }
    if (kind != 0x2c) throw DataError("it is damaged between its blocks");
    Placed frame{};
    frame.left = bytes.u16();
    frame.top = bytes.u16();
    frame.width = bytes.u16();
    frame.height = bytes.u16();
    if (frame.left + frame.width > width || frame.top + frame.height > height) {
      throw DataError("its frame reaches beyond the image");
    }
    const unsigned frame_flags = bytes.byte();
    const std::string_view local = read_gif_palette(bytes, frame_flags);
    const std::string_view palette = local.empty() ? global : local;
    const unsigned code_bits = bytes.byte();
    const std::string data = bytes.blocks();
    const std::vector<std::uint8_t> indices =
        LzwDecoder(data, code_bits).decode(frame.width * frame.height);
    return gif_canvas(height, width, frame, (frame_flags & 0x40U) != 0, indices, palette,
                      transparent);
  }
}

}  // namespace

bool is_gif(std::string_view bytes) {
  return bytes.substr(0, 6) == "GIF87a" || bytes.substr(0, 6) == "GIF89a";
}

Image decode_gif(std::string_view bytes, const std::string& name, std::size_t max_pixels) {
  try {
    return first_frame(bytes, max_pixels);
  } catch (const DataError& error) {
    throw image_failure("GIF", name, error.what());
  }
}

}  // namespace cubcal
