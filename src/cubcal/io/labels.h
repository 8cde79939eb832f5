#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cubcal/io/npz.h"

namespace cubcal {

/// Labels as a file has them: integers, bools, or text that names classes. All as text, so that one
/// rule reads every kind.
struct RawLabels {
  std::vector<std::string> texts = {};
  std::string where = {};  ///< "the array 'labels' of 'val.npz'"
  bool are_text = false;   ///< as in a CSV file or an array of strings, where names may stand
};

/// Throws DataError for floating-point labels and for a shape that is not [length] or [length,1].
RawLabels read_labels(const NpzReader& npz, const std::string& key, std::size_t length);

/// Of a file of labels alone: .npy, .npz with the array `key`, .pt with a tensor or the entry
/// `key`, or CSV with the column `key`, or `label`, or a single column.
RawLabels read_labels_file(const std::string& path, const std::string& key, std::size_t length);

/// The class of a sample that is to be left out.
inline constexpr std::int64_t kIgnoredLabel = -1;

/// A label is the index of a class or, where labels are text, its name, which comes first: integers
/// of an array are indices whatever the classes are called. One equal to `ignored` (where not
/// empty) becomes kIgnoredLabel. "false" and "true" are the classes 0 and 1. Throws DataError
/// naming the first that is none of these.
std::vector<std::int64_t> class_indices(const RawLabels& labels, std::size_t classes,
                                        const std::vector<std::string>& class_names,
                                        const std::string& ignored);

}  // namespace cubcal
