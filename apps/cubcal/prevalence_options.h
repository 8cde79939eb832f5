#pragma once

#include <string>
#include <vector>

#include "cubcal/prevalence/shares.h"

namespace cubcal::app {

/// Shares from "melanoma=0.02,nevus=0.9", "equal" or "labels", which is `base`. Classes that are
/// not named have what is left, in proportion to `base`. Throws ArgumentError, naming the option,
/// for anything else and for shares that cannot sum to 1.
ClassShares class_shares(const std::string& option, const std::vector<std::string>& words,
                         const std::vector<std::string>& class_names, const ClassShares& base);

}  // namespace cubcal::app
