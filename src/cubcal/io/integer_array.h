#pragma once

#include <cstdint>

#include "cubcal/core/nd_array.h"

namespace cubcal {

inline bool is_integer(DType dtype) { return !is_floating(dtype) && dtype != DType::kBool; }

/// Calls use(pointer to the first element, as its integer type); a bool counts as uint8.
template <class Use>
void with_integers(const NdArray& array, Use use) {
  switch (array.dtype()) {
    case DType::kI8: return use(array.as<std::int8_t>());
    case DType::kI16: return use(array.as<std::int16_t>());
    case DType::kI32: return use(array.as<std::int32_t>());
    case DType::kI64: return use(array.as<std::int64_t>());
    case DType::kU8: return use(array.as<std::uint8_t>());
    case DType::kU16: return use(array.as<std::uint16_t>());
    case DType::kU32: return use(array.as<std::uint32_t>());
    case DType::kU64: return use(array.as<std::uint64_t>());
    case DType::kBool: return use(array.as<std::uint8_t>());
    default: return;
  }
}

}  // namespace cubcal
