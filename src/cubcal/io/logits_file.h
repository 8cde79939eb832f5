#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cubcal/core/nd_array.h"
#include "cubcal/io/byte_source.h"
#include "cubcal/sample_column.h"

namespace cubcal {

/// MC logits with what belongs to them, as read from an .npz file, from a bare .npy file of
/// logits alone, from what torch.save wrote (torch_logits.h), or from CSV (logits_csv.h). In the
/// .npz: `logits` [S,N,K] or [N,K], and optionally `labels` [N] (or [N,1]; integers, bools, or
/// names of classes), `groups` [N], `files` [N], `class_names` [K], `column_<name>` [N] and
/// `weights_hash` [1].
struct LogitsFile {
  NdArray logits;                    ///< float16/32/64, shape [S,N,K]; an [N,K] file has S = 1
  NdArray probabilities;             ///< [S,N,K] where a file of these was given: the logits are
                                     ///< their logarithms then; else empty
  std::vector<std::int64_t> labels;  ///< empty when the file has none
  std::vector<std::string> groups;   ///< empty when none; integers become their decimal text
  std::vector<std::string> files;    ///< which image a sample is; empty when none
  std::vector<std::string> class_names;  ///< empty when none
  std::vector<SampleColumn> columns;     ///< those that were asked for
  bool has_labels = false;
  std::string weights_hash;  ///< of the model they were drawn from; empty where it is not known
  std::string path;
};

/// Where a file's arrays differ from the description above.
struct LogitsReading {
  std::string logits_key = "logits";
  std::string labels_key = "labels";
  std::string
      labels_file;  ///< labels of another file (.npy, .npz, .pt, CSV) instead of the own ones
  bool with_labels = true;    ///< false: labels are not looked at, as those of images of no class
  std::string ignored_label;  ///< where not empty: samples of this label are left out
  std::vector<std::string> columns;  ///< to be read; a DataError where the file lacks one
  bool all_columns = false;          ///< instead: whatever columns there are
  bool binary = false;  ///< one number for each sample, [N], [S,N], or with a last axis of 1:
                        ///< logits become [S,N,1], for the caller to make two classes of
};

/// Throws DataError naming file and array for anything that is not as described above, for S, N or
/// K = 0, for K = 1, and for a label that is not a class. Everything but the logits' values is
/// checked; whether those are finite is asked where they are used.
LogitsFile read_logits_file(const std::string& path, const LogitsReading& reading = {});
LogitsFile read_logits_file(std::shared_ptr<const ByteSource> source,
                            const LogitsReading& reading = {});

/// The values of a column that was read. Throws ArgumentError where it was not.
const std::vector<std::string>& column_values(const LogitsFile& file, const std::string& name);

/// Throws DataError, naming both files, where the other one has another number of classes.
void check_same_classes(const LogitsFile& file, const LogitsFile& other);

/// Writes an .npz file; `file.path` is not looked at. Throws ArgumentError where the parts do not
/// belong together.
void write_logits_file(const std::string& path, const LogitsFile& file);

}  // namespace cubcal
