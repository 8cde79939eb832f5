#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "cubcal/image/image_file.h"

namespace cubcal {

/// 128 bits that stand for the decoded pixels and the shape of an image. Among a million images the
/// odds that two different ones share them are about 1e-27. They are no protection against somebody
/// who wants two images to look alike.
struct PixelHash {
  std::array<std::uint64_t, 2> words{};

  bool operator==(const PixelHash& other) const { return words == other.words; }
  bool operator!=(const PixelHash& other) const { return words != other.words; }
  bool operator<(const PixelHash& other) const { return words < other.words; }
  /// 32 hexadecimal digits.
  std::string text() const;
};

/// Whether an RGB image has R = G = B everywhere.
bool is_gray_as_rgb(const Image& image);

/// Gray stored as RGB has the hash of the gray image: nothing that can be learnt tells them apart.
PixelHash pixel_hash(const Image& image);

}  // namespace cubcal
