#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

namespace cubcal {

/// Images that are used together: for training, for validation, for testing.
struct ImageSplit {
  std::string name;
  at::Tensor images;  ///< uint8 [N, C, H, W]
  at::Tensor labels;  ///< int64 [N]; -1 throughout a split of outliers
  at::Tensor groups;  ///< int64 [N], who an image is of; undefined where that is not known
  /// Whether the images belong to none of the classes (an OOD split).
  bool outliers = false;

  std::int64_t size() const { return images.defined() ? images.size(0) : 0; }
};

struct ImageSet {
  std::string name;
  std::vector<std::string> class_names;
  std::vector<ImageSplit> splits;

  std::size_t classes() const { return class_names.size(); }
  std::vector<std::string> split_names() const;
  bool has_split(const std::string& split) const;
  /// Throws ArgumentError that lists the splits there are.
  const ImageSplit& split(const std::string& split) const;
};

/// Throws DataError unless every split has images of one shape, one label per image, labels below
/// the number of classes (-1 in splits of outliers), and one group per image or none.
void check_image_set(const ImageSet& set);

/// Things in a set that can be trained on but ought to be known.
struct SetFinding {
  enum class Kind {
    kMissingClass,  ///< a split has no image of a class
    kSharedGroup    ///< a group has images in two splits, so that one leaks into the other
  };
  Kind kind;
  std::string split;
  std::string other_split;  ///< of a shared group
  std::int64_t number = 0;  ///< the class, or how many groups are shared
  std::string text;         ///< one sentence
};

/// Looks through every split that has labels.
std::vector<SetFinding> examine_image_set(const ImageSet& set);

/// How many images each class has.
std::vector<std::int64_t> class_counts(const ImageSplit& split, std::size_t classes);

}  // namespace cubcal
