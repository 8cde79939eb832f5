#pragma once

#include "cubcal/metrics/resampling.h"
#include "cubcal/results/result_record.h"
#include "cubcal_nn/experiment/run_part.h"
#include "cubcal_nn/recipe/experiment_plan.h"

namespace cubcal {

/// Works out what a finished part came to on its test split: metrics with intervals, without and
/// with every calibration fitted on val (saved beside the logits), and the OOD table of every
/// detector where there are outliers (saved as ood.json). The record as
/// it is written.
results::ResultRecord part_record(const ExperimentPlan& plan, const ExperimentRun& run,
                                  const RunPart& part, const ImagesOfPart& images,
                                  const BootstrapOptions& bootstrap, WorkObserver& observer);

}  // namespace cubcal
