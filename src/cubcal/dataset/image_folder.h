#pragma once

#include <string>

#include "cubcal/dataset/catalog.h"

namespace cubcal {

/// Every image of a folder and of the folders below it, without labels. Throws DataError for links
/// that lead nowhere and pictures of formats that are not read; where `tolerant` these are told in
/// Catalog::faults.
Catalog read_image_folder(const std::string& folder, bool tolerant = false);

/// A single image.
Catalog read_single_image(const std::string& path);

}  // namespace cubcal
