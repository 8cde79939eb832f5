#pragma once

#include <nlohmann/json.hpp>

#include "cubcal/audit/audit.h"

namespace cubcal {

/// `columns` with the groups of each, their `values`, `intervals` and `gaps`, and how they were
/// made; undefined values are null. Without a version and a file: those are the caller's.
nlohmann::ordered_json audit_json(const Audit& audit);

}  // namespace cubcal
