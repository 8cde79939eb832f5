#pragma once

#include <functional>

#include "cubcal/core/error.h"
#include "cubcal/dataset/image_shape.h"
#include "cubcal/dataset/sample_block.h"
#include "cubcal/dataset/sample_reader.h"

namespace cubcal {

struct LoadOptions {
  OpenOptions open;  ///< of open_samples
  ImageShape shape;
  BadFilePolicy bad_files = BadFilePolicy::kFail;
  ImageFileOptions files;
  std::function<void(std::size_t done, std::size_t of)> progress = {};  ///< never at once
  std::function<bool()> interrupted = {};  ///< asked between images; true: throws Interrupted
};

/// Decodes every image once, in parallel, and keeps it at the size asked for. The result does not
/// depend on the number of threads. Throws DataError that lists all files which cannot be decoded,
/// or leaves them out and says so in `skipped`; and ArgumentError for options outside their domain.
SampleBlock load_samples(const Catalog& catalog, const LoadOptions& options);

/// What `choose` keeps of the data set at the path: of a pack (see pack_file.h) its images as they
/// are, of anything else those that open_catalog finds and load_samples decodes. A shape that is
/// not that of the pack is an ArgumentError.
SampleBlock open_samples(const std::string& path, const LoadOptions& options,
                         const std::function<Catalog(const Catalog&)>& choose);

}  // namespace cubcal
