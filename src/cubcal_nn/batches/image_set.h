#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "cubcal/dataset/image_fit.h"
#include "cubcal/image/image_file.h"

namespace cubcal {

/// Of a set that has no classes.
inline constexpr const char* kWhereClassesAreTold =
    ": neither folders nor a column of a usual name, such as 'label', tell them, and "
    "'label_column' (in [data] of a recipe, or where a table is packed or split) names another";

/// Images that are used together: for training, for validation, for testing.
struct ImageSplit {
  std::string name;
  at::Tensor images;  ///< [N, C, H, W], uint8 or 16-bit (see levels.h)
  at::Tensor labels;  ///< int64 [N]; -1 throughout a split of outliers
  at::Tensor groups;  ///< int64 [N], who an image is of; undefined where that is not known
  /// Whether the images belong to none of the classes (an OOD split).
  bool outliers = false;
  std::vector<std::string> files = {};  ///< one per image, or none where they come from no files
  /// Name of the class of each image; outliers, which have no class, keep the name they were given.
  /// None where it is not known.
  std::vector<std::string> label_names = {};
  /// What else is known of each image, one list per ImageSet::columns.
  std::vector<std::vector<std::string>> metadata = {};

  std::int64_t size() const { return images.defined() ? images.size(0) : 0; }
};

struct ImageSet {
  std::string name;  ///< the path it was read from, or "phantom"
  std::vector<std::string> class_names;
  std::vector<ImageSplit> splits;
  std::string kind = "drawn";             ///< in words: "manifest", "npz set", ...
  std::vector<std::string> columns = {};  ///< names of the metadata
  ImageFit fit = ImageFit::kStretch;      ///< how images were brought to their size
  std::int64_t reduce_to = 0;             ///< shorter side they were made small to first; 0: none
  DicomWindow dicom_window = DicomWindow::kFile;
  std::vector<std::string> notes = {};    ///< what was recognised of its table, a sentence each
  std::vector<std::string> skipped = {};  ///< why files were left out, a sentence each

  std::size_t classes() const { return class_names.size(); }
  std::vector<std::string> split_names() const;
  bool has_split(const std::string& split) const;
  /// Throws ArgumentError that lists the splits there are.
  const ImageSplit& split(const std::string& split) const;
};

/// Of class names, split names, shapes, images, labels and groups.
std::string content_hash(const ImageSet& set);

/// Throws DataError unless every split has images of one shape, one label per image, labels below
/// the number of classes (-1 in splits of outliers), and one group per image or none.
void check_image_set(const ImageSet& set);

/// Things in a set that can be trained on but ought to be known.
struct SetFinding {
  enum class Kind {
    kMissingClass,  ///< a split has no image of a class
    kSharedGroup,   ///< a group has images in two splits, so that one leaks into the other
    kSharedImage    ///< two splits have images with the same pixels
  };
  Kind kind;
  std::string split;
  std::string other_split;  ///< of what is shared
  std::int64_t number = 0;  ///< the class, or how many groups or images are shared
  std::string text;         ///< one sentence
  /// What is learnt on one of the two splits is known on the other: a result would be too good.
  bool is_leak = false;
};

/// Looks through every split. What a split of outliers shares with others is not a leak.
std::vector<SetFinding> examine_image_set(const ImageSet& set);

/// How many images each class has.
std::vector<std::int64_t> class_counts(const ImageSplit& split, std::size_t classes);

}  // namespace cubcal
