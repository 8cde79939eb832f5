#pragma once

#include <nlohmann/json_fwd.hpp>

#include "cubcal/record/run_record.h"

namespace cubcal {

/// An object of typed values, in the order of the settings.
nlohmann::ordered_json settings_json(const Settings& settings);
Settings settings_of(const nlohmann::ordered_json& object);

}  // namespace cubcal
