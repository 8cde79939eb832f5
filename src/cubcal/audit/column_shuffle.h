#pragma once

#include <cstdint>
#include <vector>

#include "cubcal/core/seed_stream.h"
#include "cubcal/metrics/resampling.h"

/// Which sample takes whose value of a column, where the column means nothing. What belongs
/// together (a patient's images) stays together.
namespace cubcal {

/// The samples of each unit.
std::vector<std::vector<std::uint32_t>> samples_of_units(const ResamplingUnits& units);

/// Whether all samples of each unit have the same value.
bool is_constant_in_units(const std::vector<std::uint32_t>& values, const ResamplingUnits& units);

/// Which unit's value each unit takes: any of all of them. For columns that are constant in units.
std::vector<std::uint32_t> shuffled_units(const ResamplingUnits& units, SeedStream& stream);

/// Which sample's value each sample takes: units of as many samples exchange theirs, and each of
/// them hands its own out in any order. For columns whose values differ within a unit.
std::vector<std::uint32_t> shuffled_samples(
    const std::vector<std::vector<std::uint32_t>>& samples_of_unit, SeedStream& stream);

}  // namespace cubcal
