#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cubcal/core/nd_array.h"
#include "cubcal/io/byte_source.h"

namespace cubcal {

/// MC logits with what belongs to them, as read from an .npz file, or from a bare .npy file of
/// logits alone. In the .npz: `logits` [S,N,K] or [N,K], and optionally `labels` [N] (or [N,1]),
/// `groups` [N], `files` [N] and `class_names` [K].
struct LogitsFile {
  NdArray logits;                        ///< float16/32/64, shape [S,N,K]; an [N,K] file has S = 1
  std::vector<std::int64_t> labels;      ///< empty when the file has none
  std::vector<std::string> groups;       ///< empty when none; integers become their decimal text
  std::vector<std::string> files;        ///< which image a sample is; empty when none
  std::vector<std::string> class_names;  ///< empty when none
  bool has_labels = false;
  std::string path;
};

/// Throws DataError naming file and array for anything that is not as described above, for S, N or
/// K = 0, for K = 1, and for a label outside 0..K-1. Everything but the logits' values is checked;
/// whether those are finite is asked where they are used.
LogitsFile read_logits_file(const std::string& path);
LogitsFile read_logits_file(std::shared_ptr<const ByteSource> source);

/// Throws DataError, naming both files, where the other one has another number of classes.
void check_same_classes(const LogitsFile& file, const LogitsFile& other);

/// Writes an .npz file; `file.path` is not looked at. Throws ArgumentError where the parts do not
/// belong together.
void write_logits_file(const std::string& path, const LogitsFile& file);

}  // namespace cubcal
