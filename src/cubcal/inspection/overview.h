#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "cubcal/dataset/catalog.h"
#include "cubcal/inspection/image_facts.h"

namespace cubcal {

/// How often each value occurs, the commonest first, equals by name.
using Tally = std::vector<std::pair<std::string, std::size_t>>;

struct CountRow {
  std::string name;  ///< class, or the name outliers were given
  bool is_class = true;
  std::vector<std::size_t> images;  ///< one per column of the table
  std::vector<std::size_t> groups;  ///< distinct ones; a sample without a group counts as one
};

/// The column of samples in no split, among samples that are in one.
inline constexpr const char* kNotSplit = "not split";

/// What a data set consists of, before any judgement.
struct Overview {
  std::vector<std::string> columns;  ///< the splits, "not split" where some are in none, then "all"
  std::vector<CountRow> rows;        ///< classes in their order, then outliers as they come
  CountRow total;
  std::size_t unreadable = 0;
  Tally sizes;        ///< "224 x 224": width, height
  Tally channels;     ///< "gray", "RGB", "gray stored as RGB"
  Tally depths;       ///< "8 bits", "16 bits"
  int min_level = 0;  ///< levels say little where depths differ
  int max_level = 0;
  double mean_level = 0;  ///< mean over images
};

/// `facts` has one entry per sample.
Overview overview(const Catalog& catalog, const std::vector<ImageFacts>& facts);

/// "224 x 224", "gray stored as RGB", "8 bits": how facts are named in tables.
std::string size_name(const ImageFacts& facts);
std::string channel_name(const ImageFacts& facts);
std::string depth_name(const ImageFacts& facts);

Tally tally(const std::vector<std::string>& values);

}  // namespace cubcal
