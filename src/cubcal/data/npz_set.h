#pragma once

#include <string>

#include "cubcal/data/image_set.h"

namespace cubcal {

/// Reads an .npz file in the layout of MedMNIST: `train_images`, `val_images` and `test_images` as
/// uint8 [n, H, W] or [n, H, W, C] with 1 or 3 channels, and `<split>_labels` as integers of shape
/// [n, 1] or [n]. Any of the three splits may be absent, but not all of them.
/// Class names are "0", "1", ... up to the largest label; `groups` are not known.
/// Throws DataError that names the array for anything else, such as labels of several columns
/// (multi-label sets).
ImageSet load_npz_set(const std::string& path);

}  // namespace cubcal
