#pragma once

#include "cubcal/record/run_folder.h"
#include "cubcal/record/run_record.h"
#include "cubcal_nn/infer/provenance.h"
#include "cubcal_nn/train/checkpoint.h"
#include "cubcal_nn/train/run_options.h"

namespace cubcal {

/// What a finished run was made of and what it came to.
RunRecord finished_run(const RunFolder& folder, const RunOptions& options,
                       const Provenance& provenance, const CheckpointHead& head,
                       const RankSplit& split);

}  // namespace cubcal
