#include "cubcal/metrics/value_order.h"

#include <array>
#include <cstddef>
#include <cstring>

namespace cubcal {

namespace {

constexpr int kDigitBits = 11;
constexpr std::size_t kDigits = std::size_t{1} << kDigitBits;
constexpr int kKeyBits = 64;

struct Keyed {
  std::uint64_t key;
  std::uint32_t index;
};

/// A whole number that is ordered as the value is: the bits of a double are, up to their sign.
std::uint64_t ordered_bits(double value) {
  value += 0.0;  // makes -0 and 0 equal
  std::uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  constexpr std::uint64_t sign = std::uint64_t{1} << 63;
  return (bits & sign) != 0 ? ~bits : bits | sign;
}

std::size_t digit_of(std::uint64_t key, int shift) {
  return static_cast<std::size_t>(key >> shift) & (kDigits - 1);
}

}  // namespace

std::vector<std::uint32_t> ascending_order(const std::vector<double>& values) {
  std::vector<Keyed> items(values.size());
  std::vector<Keyed> sorted(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    items[i] = {ordered_bits(values[i]), static_cast<std::uint32_t>(i)};
  }
  for (int shift = 0; shift < kKeyBits; shift += kDigitBits) {
    std::array<std::size_t, kDigits> places{};
    for (const Keyed& item : items) ++places[digit_of(item.key, shift)];
    std::size_t next = 0;
    for (std::size_t& place : places) {
      const std::size_t count = place;
      place = next;
      next += count;
    }
    for (const Keyed& item : items) sorted[places[digit_of(item.key, shift)]++] = item;
    items.swap(sorted);
  }
  std::vector<std::uint32_t> order(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) order[i] = items[i].index;
  return order;
}

}  // namespace cubcal
