#pragma once

#include <string>
#include <vector>

#include "cubcal/dataset/catalog.h"
#include "cubcal/inspection/image_facts.h"

namespace cubcal {

/// A value per sample; empty: not known.
struct ColumnValues {
  std::string name;
  bool is_derived = false;
  std::vector<std::string> values;
};

/// Columns that can be held against the classes: those of the manifest with few values, numbers cut
/// at their quartiles, and what the images show. Columns of one value are left out.
std::vector<ColumnValues> comparable_columns(const Catalog& catalog,
                                             const std::vector<ImageFacts>& facts);

}  // namespace cubcal
