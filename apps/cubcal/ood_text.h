#pragma once

#include <iosfwd>

#include "cubcal_nn/experiment/ood_table.h"
#include "cubcal_nn/experiment/ood_verdict.h"

namespace cubcal::app {

void print_ood_table(std::ostream& out, const OodTable& table);

void print_verdict(std::ostream& out, const FittedVerdict& verdict,
                   const std::vector<std::string>& class_names);

/// Accuracy of the images kept when the least certain are referred, on an ID split.
void print_referral(std::ostream& out, OodRun& run, const ImageSplit& split);

}  // namespace cubcal::app
