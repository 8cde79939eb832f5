#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "cubcal/image/image_file.h"

namespace cubcal {

/// Pixels of the longer side. Smaller images stay as they are.
inline constexpr std::size_t kThumbnailSide = 120;

/// A small copy as a data URI, which a page can show without another file: JPEG, or PNG where this
/// build lacks JPEG.
std::string thumbnail_uri(const Image& image);

/// One per image, read and made in parallel; empty for an image that cannot be read.
std::vector<std::string> thumbnail_uris(const std::vector<std::size_t>& images,
                                        const std::function<Image(std::size_t)>& read);

}  // namespace cubcal
