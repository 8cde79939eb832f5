#pragma once

#include <nlohmann/json_fwd.hpp>

#include "cubcal/conformal/conformal_study.h"

namespace cubcal {

/// The whole study; what is undefined is null.
nlohmann::ordered_json conformal_json(const ConformalStudy& study);

}  // namespace cubcal
