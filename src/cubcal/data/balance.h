#pragma once

#include "cubcal/data/augmentation.h"
#include "cubcal/data/image_set.h"

namespace cubcal {

/// Fills up the smaller classes of a split with copies of their images until all are as large as
/// the largest (see balanced_members in catalog/splitting.h). Every copy is augmented once, so that
/// none equals its original, and keeps its group. Meant for train and val, never for test.
ImageSplit balance_split(const ImageSplit& split, std::size_t classes,
                         const AugmentationOptions& augmentation, std::uint64_t seed);

}  // namespace cubcal
