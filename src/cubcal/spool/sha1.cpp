#include "cubcal/spool/sha1.h"

#include <string>

namespace cubcal {

namespace {

constexpr std::size_t kBlock = 64;

std::uint32_t turned(std::uint32_t word, unsigned bits) {
  return word << bits | word >> (32 - bits);
}

void add_block(std::array<std::uint32_t, 5>& state, const char* block) {
  std::array<std::uint32_t, 80> words{};
  for (std::size_t i = 0; i < kBlock; ++i) {
    words[i / 4] = words[i / 4] << 8 | static_cast<unsigned char>(block[i]);
  }
  for (std::size_t i = 16; i < words.size(); ++i) {
    words[i] = turned(words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16], 1);
  }
  auto [a, b, c, d, e] = state;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::uint32_t mixed = i < 20   ? ((b & c) | (~b & d)) + 0x5a827999U
                                : i < 40 ? (b ^ c ^ d) + 0x6ed9eba1U
                                : i < 60 ? ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdcU
                                         : (b ^ c ^ d) + 0xca62c1d6U;
    const std::uint32_t next = turned(a, 5) + mixed + e + words[i];
    e = d;
    d = c;
    c = turned(b, 30);
    b = a;
    a = next;
  }
  state[0] += a;
  state[1] += b;
  state[2] += c;
  state[3] += d;
  state[4] += e;
}

}  // namespace

std::array<std::uint8_t, 20> sha1(std::string_view text) {
  std::array<std::uint32_t, 5> state = {0x67452301U, 0xefcdab89U, 0x98badcfeU, 0x10325476U,
                                        0xc3d2e1f0U};
  std::string padded(text);
  padded += '\x80';
  while (padded.size() % kBlock != kBlock - 8) padded += '\0';
  const std::uint64_t bits = std::uint64_t{text.size()} * 8;
  for (int shift = 56; shift >= 0; shift -= 8) padded += static_cast<char>(bits >> shift & 0xff);
  for (std::size_t place = 0; place < padded.size(); place += kBlock) {
    add_block(state, padded.data() + place);
  }
  std::array<std::uint8_t, 20> digest{};
  for (std::size_t i = 0; i < digest.size(); ++i) {
    digest[i] = static_cast<std::uint8_t>(state[i / 4] >> (24 - 8 * (i % 4)) & 0xff);
  }
  return digest;
}

}  // namespace cubcal
