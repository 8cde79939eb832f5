#include "cubcal/spool/derived_uid.h"

#include <algorithm>
#include <array>

#include "cubcal/spool/sha1.h"

namespace cubcal {

namespace {

/// The 16 bytes, highest first, as a decimal number: divided by 10 until nothing is left.
std::string decimal(std::array<std::uint8_t, 16> number) {
  std::string digits;
  while (std::any_of(number.begin(), number.end(), [](std::uint8_t each) { return each != 0; })) {
    unsigned rest = 0;
    for (std::uint8_t& each : number) {
      const unsigned value = rest << 8 | each;
      each = static_cast<std::uint8_t>(value / 10);
      rest = value % 10;
    }
    digits += static_cast<char>('0' + rest);
  }
  std::reverse(digits.begin(), digits.end());
  return digits;
}

}  // namespace

std::string derived_uid(const std::string& name) {
  constexpr char kOidNamespace[] =
      "\x6b\xa7\xb8\x12\x9d\xad\x11\xd1\x80\xb4\x00\xc0\x4f\xd4\x30\xc8";
  const std::array<std::uint8_t, 20> digest = sha1(std::string(kOidNamespace, 16) + name);
  std::array<std::uint8_t, 16> uuid{};
  std::copy_n(digest.begin(), uuid.size(), uuid.begin());
  uuid[6] = static_cast<std::uint8_t>((uuid[6] & 0x0fU) | 0x50U);  // version 5
  uuid[8] = static_cast<std::uint8_t>((uuid[8] & 0x3fU) | 0x80U);  // variant of RFC 4122
  return "2.25." + decimal(uuid);
}

}  // namespace cubcal
