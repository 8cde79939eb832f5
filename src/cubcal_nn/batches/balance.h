#pragma once

#include "cubcal_nn/batches/image_set.h"

namespace cubcal {

/// Fills up the smaller classes of a split with copies of their images until all are as large as
/// the largest (see balanced_members in catalog/splitting.h). A copy keeps its group, and its
/// pixels: were it augmented here, turned and blurred images would all be of the smaller classes,
/// and a network would learn that instead. Training augments every image it shows, copies and
/// originals alike, each by its place in the split. Meant for train and val, never for test.
ImageSplit balance_split(const ImageSplit& split, std::size_t classes, std::uint64_t seed);

}  // namespace cubcal
