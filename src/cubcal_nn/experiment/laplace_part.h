#pragma once

#include <string>

#include "cubcal_nn/experiment/run_part.h"

namespace cubcal {

/// Laplace's approximation in the last layer (bayes/laplace.h) among the runs of an experiment:
/// trains the deterministic run it starts from where that is not there yet, measures the curvature
/// on its training images as they are, takes the prior precision of the lowest NLL on validation
/// images, saves the network with a Gaussian last layer as the part's model and draws the part's
/// logits.
void make_laplace_part(const RunPart& part, const RunPart& start, const ImagesOfPart& images,
                       const std::string& indent, const std::string& resume_command,
                       WorkObserver& observer);

}  // namespace cubcal
