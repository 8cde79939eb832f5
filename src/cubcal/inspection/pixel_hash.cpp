#include "cubcal/inspection/pixel_hash.h"

#include <cstdio>
#include <cstring>

namespace cubcal {

namespace {

std::uint64_t rotated(std::uint64_t word, int bits) {
  return (word << bits) | (word >> (64 - bits));
}

/// Two lanes with different odd multipliers; for a given word each step is one-to-one, so that a
/// difference never gets lost within a lane by itself.
class HashLanes {
 public:
  void add(std::uint64_t word) {
    first_ = rotated((first_ ^ word) * 0x9E3779B97F4A7C15ULL, 29);
    second_ = rotated((second_ + word) * 0xC2B2AE3D27D4EB4FULL, 37);
  }

  void add(const void* bytes, std::size_t count) {
    const auto* at = static_cast<const unsigned char*>(bytes);
    std::uint64_t word;
    for (; count >= sizeof word; count -= sizeof word, at += sizeof word) {
      std::memcpy(&word, at, sizeof word);
      add(word);
    }
    word = 0;
    std::memcpy(&word, at, count);
    add(word);
  }

  PixelHash hash() const {
    return {{mixed(first_ + rotated(second_, 32)), mixed(second_ ^ (first_ >> 7))}};
  }

 private:
  static std::uint64_t mixed(std::uint64_t word) {
    word = (word ^ (word >> 32)) * 0xD6E8FEB86659FD93ULL;
    word = (word ^ (word >> 32)) * 0xD6E8FEB86659FD93ULL;
    return word ^ (word >> 32);
  }

  std::uint64_t first_ = 0x243F6A8885A308D3ULL;
  std::uint64_t second_ = 0x13198A2E03707344ULL;
};

template <class Level>
bool channels_agree(const std::vector<Level>& pixels) {
  for (std::size_t i = 0; i + 2 < pixels.size(); i += 3) {
    if (pixels[i] != pixels[i + 1] || pixels[i] != pixels[i + 2]) return false;
  }
  return true;
}

template <class Level>
void add_pixels(HashLanes& lanes, const std::vector<Level>& pixels, std::size_t step) {
  if (step == 1) {
    lanes.add(pixels.data(), pixels.size() * sizeof(Level));
    return;
  }
  std::vector<Level> one_channel;
  one_channel.reserve(pixels.size() / step);
  for (std::size_t i = 0; i < pixels.size(); i += step) one_channel.push_back(pixels[i]);
  lanes.add(one_channel.data(), one_channel.size() * sizeof(Level));
}

}  // namespace

std::string PixelHash::text() const {
  char digits[33];
  std::snprintf(digits, sizeof digits, "%016llx%016llx", static_cast<unsigned long long>(words[0]),
                static_cast<unsigned long long>(words[1]));
  return digits;
}

bool is_gray_as_rgb(const Image& image) {
  if (image.channels != 3) return false;
  return image.is_deep() ? channels_agree(image.deep_pixels) : channels_agree(image.pixels);
}

PixelHash pixel_hash(const Image& image) {
  const bool gray = is_gray_as_rgb(image);
  HashLanes lanes;
  lanes.add(image.height);
  lanes.add(image.width);
  lanes.add(gray ? 1 : image.channels);
  lanes.add(image.is_deep() ? 16 : 8);
  const std::size_t step = gray ? 3 : 1;
  if (image.is_deep()) {
    add_pixels(lanes, image.deep_pixels, step);
  } else {
    add_pixels(lanes, image.pixels, step);
  }
  return lanes.hash();
}

}  // namespace cubcal
