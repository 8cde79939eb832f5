#pragma once

#include <string>

#include "cubcal/dataset/catalog.h"
#include "cubcal/dataset/folder_walk.h"

namespace cubcal {

/// Reads class folders, `cat/1.png` or `train/cat/1.png`; their names in the order of bytes are the
/// classes. A folder `ood` holds outliers, each folder in it a name of theirs. Images may lie
/// deeper below a class folder. Throws DataError
/// that lists class folders without images, images outside of class folders, folders beside those
/// of splits, links that lead nowhere and pictures of formats that are not read; where `tolerant`
/// these are told in Catalog::faults.
Catalog read_folder_tree(const std::string& root, const FolderContents& contents,
                         bool tolerant = false);

}  // namespace cubcal
