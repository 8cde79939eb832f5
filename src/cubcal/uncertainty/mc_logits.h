#pragma once

#include <string>

#include "cubcal/core/half.h"
#include "cubcal/core/nd_array.h"
#include "cubcal/mc_logits.h"

namespace cubcal {

/// Tells these logits from others: a hash of their type, shape and bytes.
std::string logits_hash(const McLogits& logits);

}  // namespace cubcal
