#pragma once

#include <vector>

#include "cubcal/dataset/phantom_drawing.h"
#include "cubcal_nn/batches/image_set.h"

namespace cubcal {

/// A synthetic set of lesions on skin with the structure of real tasks: four classes that look
/// alike at the edges, imbalance, a few wrong labels, several images per patient, and lesions of
/// kinds never seen in training. See phantom_drawing.h for what is drawn.
struct PhantomSet {
  ImageSet set;                                   ///< splits train, val, test and ood
  std::vector<std::vector<PhantomTruth>> truths;  ///< per split, per image
};

/// Draws all splits, on several threads; the result does not depend on their number, and a smaller
/// split is the front of a larger one. Throws ArgumentError for bad options.
PhantomSet make_phantom_set(const PhantomOptions& options);

}  // namespace cubcal
