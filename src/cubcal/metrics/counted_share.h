#pragma once

#include <cstddef>

#include "cubcal/counted_share.h"

namespace cubcal {

CountedShare counted_share(std::size_t count, std::size_t of, double level);

}  // namespace cubcal
