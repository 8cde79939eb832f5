#pragma once

#include <string>
#include <vector>

#include "cubcal_nn/experiment/run_part.h"

/// Parts of an experiment whose network is made of those of other runs.
namespace cubcal {

/// A deep ensemble among the runs of an experiment: trains the members that are not there yet, puts
/// their models together as the part's, with a record of what all of them took, and draws the
/// part's logits. Throws ArgumentError where the folder holds an ensemble of other members.
void make_ensemble_part(const RunPart& part, const std::vector<RunPart>& members,
                        const ImagesOfPart& images, const std::string& indent,
                        const std::string& resume_command, WorkObserver& observer);

/// Laplace's approximation in the last layer (bayes/laplace.h) among the runs of an experiment:
/// trains the deterministic run it starts from where that is not there yet, measures the curvature
/// on its training images as they are, takes the prior precision of the lowest NLL on validation
/// images, saves the network with a Gaussian last layer as the part's model and draws the part's
/// logits.
void make_laplace_part(const RunPart& part, const RunPart& start, const ImagesOfPart& images,
                       const std::string& indent, const std::string& resume_command,
                       WorkObserver& observer);

}  // namespace cubcal
