#pragma once

#include <cstddef>

namespace cubcal::test {

/// A program that links largest_allocation.cpp has its allocations watched: the most bytes this
/// thread asked operator new for at once since the last reset. Requests beyond 4 GiB fail.
std::size_t largest_allocation();
void reset_largest_allocation();

}  // namespace cubcal::test
