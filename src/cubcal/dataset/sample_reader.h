#pragma once

#include <memory>

#include "cubcal/dataset/catalog.h"
#include "cubcal/image/image_file.h"

namespace cubcal {

/// Decodes the images of a catalog, whatever its kind.
class SampleReader {
 public:
  /// Keeps a reference to the catalog.
  explicit SampleReader(const Catalog& catalog, const ImageFileOptions& options = {});
  ~SampleReader();

  /// May be called from several threads at once. Throws as read_image_file does.
  Image read(std::size_t sample) const;

 private:
  struct NpzImages;
  const Catalog& catalog_;
  ImageFileOptions options_;
  std::unique_ptr<NpzImages> npz_;
};

/// What is done with files that cannot be decoded.
enum class BadFilePolicy { kFail, kSkip };

/// A file that could not be decoded.
struct BadFile {
  std::size_t sample;
  std::string reason;  ///< one sentence that names the file
};

/// One sentence for all of them: how many, and the first ten with their reasons.
std::string bad_files_message(const std::vector<BadFile>& bad);

}  // namespace cubcal
