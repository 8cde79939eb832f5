#include "cubcal_nn/batches/image_set.h"

#include <set>

#include "cubcal/core/content_hash.h"
#include "cubcal/core/error.h"
#include "cubcal/dataset/set_hash.h"
#include "cubcal_nn/batches/levels.h"

namespace cubcal {

namespace {

std::string join(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "'" : ", '") + name + "'";
  return text.empty() ? "none" : text;
}

std::string where(const ImageSet& set, const ImageSplit& split) {
  return "split '" + split.name + "' of '" + set.name + "'";
}

bool is_vector(const at::Tensor& tensor, std::int64_t size) {
  return tensor.defined() && tensor.scalar_type() == at::kLong && tensor.dim() == 1 &&
         tensor.size(0) == size;
}

void check_labels(const ImageSet& set, const ImageSplit& split) {
  const at::Tensor labels = split.labels.cpu().contiguous();
  const auto* values = labels.data_ptr<std::int64_t>();
  const auto classes = static_cast<std::int64_t>(set.classes());
  for (std::int64_t i = 0; i < labels.size(0); ++i) {
    const bool fits = split.outliers ? values[i] == -1 : values[i] >= 0 && values[i] < classes;
    if (!fits) {
      throw DataError(
          "label " + std::to_string(values[i]) + " of image " + std::to_string(i) + " in " +
          where(set, split) + " must be " +
          (split.outliers ? "-1 in a split of outliers" : "in 0.." + std::to_string(classes - 1)));
    }
  }
}

void add_tensor(SetHash& hash, const at::Tensor& tensor) {
  if (!tensor.defined()) return hash.add_nothing();
  const at::Tensor values = tensor.cpu().contiguous();
  hash.add_array({tensor.sizes().begin(), tensor.sizes().end()}, values.data_ptr(),
                 values.nbytes());
}

std::set<std::int64_t> distinct_groups(const ImageSplit& split) {
  if (!split.groups.defined()) return {};
  const at::Tensor groups = split.groups.cpu().contiguous();
  const auto* values = groups.data_ptr<std::int64_t>();
  return {values, values + groups.size(0)};
}

/// By the hash of their pixels.
std::set<std::string> distinct_images(const ImageSplit& split) {
  std::set<std::string> hashes;
  const at::Tensor images = split.images.cpu().contiguous();
  const auto* bytes = static_cast<const std::uint8_t*>(images.data_ptr());
  const std::size_t each = split.size() == 0 ? 0 : images.nbytes() / images.size(0);
  for (std::int64_t i = 0; i < split.size(); ++i) {
    ContentHash hash;
    hash.add(bytes + static_cast<std::size_t>(i) * each, each);
    hashes.insert(hash.text());
  }
  return hashes;
}

template <class T>
std::int64_t count_shared(const std::set<T>& a, const std::set<T>& b) {
  std::int64_t shared = 0;
  for (const T& each : b) shared += static_cast<std::int64_t>(a.count(each));
  return shared;
}

void add_shared(const ImageSet& set, std::size_t a, std::size_t b, std::int64_t shared,
                SetFinding::Kind kind, std::vector<SetFinding>& findings) {
  if (shared == 0) return;
  const ImageSplit& first = set.splits[a];
  const ImageSplit& second = set.splits[b];
  const bool is_group = kind == SetFinding::Kind::kSharedGroup;
  const std::string what = is_group ? (shared == 1 ? " group has" : " groups have")
                                    : (shared == 1 ? " image is" : " images are");
  findings.push_back({kind, first.name, second.name, shared,
                      std::to_string(shared) + what + (is_group ? " images" : "") +
                          " in both split '" + first.name + "' and split '" + second.name +
                          "' of '" + set.name + "'",
                      !first.outliers && !second.outliers});
}

}  // namespace

std::vector<std::string> ImageSet::split_names() const {
  std::vector<std::string> names;
  for (const ImageSplit& each : splits) names.push_back(each.name);
  return names;
}

bool ImageSet::has_split(const std::string& wanted) const {
  for (const ImageSplit& each : splits) {
    if (each.name == wanted) return true;
  }
  return false;
}

const ImageSplit& ImageSet::split(const std::string& wanted) const {
  for (const ImageSplit& each : splits) {
    if (each.name == wanted) return each;
  }
  throw ArgumentError("'" + name + "' has no split '" + wanted + "'; it has " +
                      join(split_names()));
}

std::string content_hash(const ImageSet& set) {
  SetHash hash(set.class_names);
  for (const ImageSplit& split : set.splits) {
    hash.begin_split(split.name);
    add_tensor(hash, split.images);
    add_tensor(hash, split.labels);
    add_tensor(hash, split.groups);
  }
  return hash.text();
}

void check_image_set(const ImageSet& set) {
  if (set.classes() < 2) {
    throw DataError("'" + set.name + "' has " + std::to_string(set.classes()) +
                    " classes; at least 2 are needed" +
                    (set.classes() == 0 ? kWhereClassesAreTold : ""));
  }
  const at::Tensor* first = nullptr;
  for (const ImageSplit& split : set.splits) {
    if (!holds_levels(split.images) || split.images.dim() != 4) {
      throw DataError("the images of " + where(set, split) +
                      " must be uint8 or 16-bit of shape [N, C, H, W]");
    }
    if (first == nullptr) first = &split.images;
    if (split.images.sizes().slice(1) != first->sizes().slice(1) ||
        split.images.scalar_type() != first->scalar_type()) {
      throw DataError("the images of " + where(set, split) +
                      " differ in size or depth from those of " + where(set, set.splits.front()));
    }
    if (!is_vector(split.labels, split.size())) {
      throw DataError("the labels of " + where(set, split) +
                      " must be int64 of shape [N], N = " + std::to_string(split.size()));
    }
    if (split.groups.defined() && !is_vector(split.groups, split.size())) {
      throw DataError("the groups of " + where(set, split) +
                      " must be int64 of shape [N], N = " + std::to_string(split.size()));
    }
    check_labels(set, split);
  }
}

std::vector<SetFinding> examine_image_set(const ImageSet& set) {
  std::vector<SetFinding> findings;
  for (const ImageSplit& split : set.splits) {
    if (split.outliers) continue;
    const std::vector<std::int64_t> counts = class_counts(split, set.classes());
    for (std::size_t k = 0; k < counts.size(); ++k) {
      if (counts[k] > 0) continue;
      findings.push_back(
          {SetFinding::Kind::kMissingClass, split.name, "", static_cast<std::int64_t>(k),
           where(set, split) + " has no image of class '" + set.class_names[k] + "'"});
    }
  }
  std::vector<std::set<std::int64_t>> groups;
  std::vector<std::set<std::string>> images;
  for (const ImageSplit& split : set.splits) {
    groups.push_back(distinct_groups(split));
    images.push_back(distinct_images(split));
  }
  for (std::size_t a = 0; a < set.splits.size(); ++a) {
    for (std::size_t b = a + 1; b < set.splits.size(); ++b) {
      add_shared(set, a, b, count_shared(groups[a], groups[b]), SetFinding::Kind::kSharedGroup,
                 findings);
      add_shared(set, a, b, count_shared(images[a], images[b]), SetFinding::Kind::kSharedImage,
                 findings);
    }
  }
  return findings;
}

std::vector<std::int64_t> class_counts(const ImageSplit& split, std::size_t classes) {
  std::vector<std::int64_t> counts(classes, 0);
  const at::Tensor labels = split.labels.cpu().contiguous();
  const auto* values = labels.data_ptr<std::int64_t>();
  for (std::int64_t i = 0; i < labels.size(0); ++i) {
    if (values[i] >= 0 && values[i] < static_cast<std::int64_t>(classes)) {
      ++counts[static_cast<std::size_t>(values[i])];
    }
  }
  return counts;
}

}  // namespace cubcal
