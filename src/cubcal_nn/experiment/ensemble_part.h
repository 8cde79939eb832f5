#pragma once

#include <string>
#include <vector>

#include "cubcal_nn/experiment/run_part.h"

namespace cubcal {

/// A deep ensemble among the runs of an experiment: trains the members that are not there yet, puts
/// their models together as the part's, with a record of what all of them took, and draws the
/// part's logits. Throws ArgumentError where the folder holds an ensemble of other members.
void make_ensemble_part(const RunPart& part, const std::vector<RunPart>& members,
                        const ImagesOfPart& images, const std::string& indent,
                        const std::string& resume_command, WorkObserver& observer);

}  // namespace cubcal
