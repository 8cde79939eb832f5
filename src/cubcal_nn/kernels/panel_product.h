#pragma once

#include <cstdint>

/// The inner matrix product of the convolutions on the CPU, whose right side comes in panels that
/// fit the cache.
namespace cubcal {

using Float4 = float __attribute__((vector_size(16)));
/// The same anywhere in memory. (Copies by memcpy go through general registers under GCC.)
using Float4InMemory = float __attribute__((vector_size(16), aligned(4), may_alias));

inline Float4 load4(const float* from) { return *reinterpret_cast<const Float4InMemory*>(from); }
inline void store4(float* to, Float4 value) { *reinterpret_cast<Float4InMemory*>(to) = value; }

inline constexpr std::int64_t kTileRows = 8;  ///< of the left side in one tile
#ifdef __x86_64__
inline constexpr std::int64_t kTileColumns = 16;  ///< of the right side in one tile
#else
inline constexpr std::int64_t kTileColumns = 8;
#endif
inline constexpr std::int64_t kPanelDepth = 256;  ///< terms for which a tile fits the first cache
inline constexpr std::int64_t kPanelFloats = 96 << 10;  ///< of panels that fit the second cache

constexpr std::int64_t round_up(std::int64_t value, std::int64_t to) {
  return (value + to - 1) / to * to;
}

/// How many of `count` columns one task takes: whole tiles, `fitting` at most (or one tile), and
/// such that the tasks can be dealt out evenly.
constexpr std::int64_t balanced_step(std::int64_t count, std::int64_t fitting,
                                     std::int64_t threads) {
  const std::int64_t tasks = round_up((count + fitting - 1) / fitting, threads);
  return round_up((count + tasks - 1) / tasks, kTileColumns);
}

/// c[rows][columns] = left[rows][depth] times panels, added to what c holds unless `first`. Row r
/// of the left side starts at left + r * left_stride. A panel has kTileColumns values per term and
/// starts panel_stride floats after the one before. columns is a multiple of kTileColumns, and c
/// has room for round_up(rows, kTileRows) rows.
void multiply_panels(const float* left, std::int64_t left_stride, std::int64_t rows,
                     const float* panels, std::int64_t panel_stride, std::int64_t columns,
                     std::int64_t depth, bool first, float* c);

}  // namespace cubcal
