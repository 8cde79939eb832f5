#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "cubcal/dataset/phantom_drawing.h"
#include "cubcal/record/provenance.h"

namespace cubcal {

/// What the phantom set was drawn with that a model comes from; nothing where it was other data.
/// Fields that are missing have their defaults; throws DataError for a wrong type or domain.
std::optional<PhantomOptions> drawn_phantom(const Provenance& provenance);

/// As it stands in Provenance::phantom.
nlohmann::json to_json(const PhantomOptions& options);

}  // namespace cubcal
