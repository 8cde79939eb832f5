#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cubcal/image/image_file.h"

namespace cubcal {

/// A format of image files.
struct ImageCodec {
  std::string_view name;                     ///< as messages write it, for example "PNG"
  std::vector<std::string_view> extensions;  ///< in lower case, without the dot
  /// Whether a file's first kImageHead bytes show the format's signature.
  bool (*has_signature)(std::string_view head);
  /// Whether a whole file is of the format: it has the signature or, without one, looks like it.
  bool (*recognises)(std::string_view bytes);
  /// `name` is for messages. Throws DataError where the file is damaged or this build cannot decode
  /// the format.
  Image (*decode)(std::string_view bytes, const std::string& name, const ImageFileOptions& options);
};

/// No format's signature ends later in the file.
inline constexpr std::size_t kImageHead = 132;

/// Every format, in the order in which a file is tried. The list itself stands in
/// codecs/image_codecs.cpp, above the rooms whose formats it names.
const std::vector<ImageCodec>& image_codecs();

/// "PNG, JPEG and DICOM": their names, for messages.
std::string image_format_names();

}  // namespace cubcal
