#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cubcal/core/content_hash.h"

namespace cubcal {

/// The hash of a set of images: of class names, split names, shapes, images, labels and groups,
/// wherever they lie. Models and packs keep it, so that a set is known again.
class SetHash {
 public:
  explicit SetHash(const std::vector<std::string>& class_names);

  /// Its images, labels and groups follow, in this order.
  void begin_split(const std::string& name) { hash_.add(name); }
  void add_array(const std::vector<std::size_t>& shape, const void* bytes, std::size_t count);
  /// In the place of an array that is not there.
  void add_nothing() { hash_.add(std::string()); }

  std::string text() const { return hash_.text(); }

 private:
  ContentHash hash_;
};

}  // namespace cubcal
