#pragma once

#include <cstddef>
#include <vector>

#include "cubcal/conformal/verdict_rule.h"

namespace cubcal {

/// The U above which images are referred, as fit_verdict says; `order` are the images in scope, the
/// most certain first.
double choose_threshold(const std::vector<std::size_t>& order, const HeldOutImages& images,
                        double eta, const VerdictOptions& options);

}  // namespace cubcal
