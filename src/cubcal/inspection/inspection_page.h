#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cubcal/inspection/findings.h"

namespace cubcal {

/// Pictures for the page as data URIs, one per image asked for; empty: there is none.
using Thumbnails = std::function<std::vector<std::string>(const SampleList&)>;

struct PageOptions {
  std::uint64_t seed = 0;       ///< of the choice of images
  std::size_t sets_shown = 12;  ///< per finding
  std::size_t set_images = 6;   ///< per set
};

/// One HTML page that needs nothing besides itself: what was read, counts, findings with their
/// images side by side, tables of columns that give the class away, how sizes and levels spread,
/// and a contact sheet of every class and split. Every text from the data is escaped.
std::string inspection_page(const Catalog& catalog, const std::vector<ImageFacts>& facts,
                            const std::vector<Finding>& findings, const Thumbnails& thumbnails,
                            const PageOptions& options = {});

}  // namespace cubcal
