#pragma once

#include "cubcal_nn/infer/provenance.h"
#include "cubcal_nn/train/checkpoint.h"
#include "cubcal_nn/train/run_folder.h"
#include "cubcal_nn/train/run_options.h"

namespace cubcal {

/// Writes record.json of a finished run: what it was made of and what it came to.
void write_run_record(const RunFolder& folder, const RunOptions& options,
                      const Provenance& provenance, const CheckpointHead& head);

}  // namespace cubcal
