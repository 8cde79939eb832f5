#include "cubcal/io/crc32.h"

#include <zlib.h>
#if defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#endif

#include <cstring>
#include <vector>

#include "cubcal/core/parallel.h"

namespace cubcal {

namespace {

constexpr std::size_t block_size = std::size_t{1} << 18;

#if defined(__aarch64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__)

/// With the processor's own instruction for this polynomial, three times as fast as zlib.
__attribute__((target("+crc"))) std::uint32_t crc_by_instruction(std::uint32_t crc,
                                                                 const std::byte* bytes,
                                                                 std::size_t count) {
  crc = ~crc;
  for (; count >= 8; bytes += 8, count -= 8) {
    std::uint64_t word;
    std::memcpy(&word, bytes, sizeof word);
    crc = __builtin_aarch64_crc32x(crc, word);
  }
  for (; count > 0; ++bytes, --count) {
    crc = __builtin_aarch64_crc32b(crc, static_cast<std::uint8_t>(*bytes));
  }
  return ~crc;
}

std::uint32_t crc_of_block(std::uint32_t crc, const std::byte* bytes, std::size_t count) {
  static const bool has_instruction = (::getauxval(AT_HWCAP) & HWCAP_CRC32) != 0;
  if (has_instruction) return crc_by_instruction(crc, bytes, count);
  return static_cast<std::uint32_t>(
      ::crc32(crc, reinterpret_cast<const Bytef*>(bytes), static_cast<uInt>(count)));
}

#else

std::uint32_t crc_of_block(std::uint32_t crc, const std::byte* bytes, std::size_t count) {
  return static_cast<std::uint32_t>(
      ::crc32(crc, reinterpret_cast<const Bytef*>(bytes), static_cast<uInt>(count)));
}

#endif

template <class Fill>
std::uint32_t blockwise(const std::byte* bytes, std::size_t count, std::uint32_t crc, Fill fill) {
  if (count <= block_size) {
    if (count == 0) return crc;
    fill(std::size_t{0}, count);
    return crc_of_block(crc, bytes, count);
  }
  const std::size_t blocks = count / block_size + (count % block_size != 0 ? 1 : 0);
  std::vector<uLong> sums(blocks);
  parallel_blocks(count, block_size, [&](std::size_t first, std::size_t last) {
    fill(first, last);
    sums[first / block_size] = crc_of_block(0, bytes + first, last - first);
  });
  uLong total = crc;
  for (std::size_t i = 0; i < blocks; ++i) {
    const std::size_t length = i + 1 < blocks ? block_size : count - i * block_size;
    total = ::crc32_combine(total, sums[i], static_cast<z_off_t>(length));
  }
  return static_cast<std::uint32_t>(total);
}

}  // namespace

std::uint32_t crc32_of(ArrayView<const std::byte> bytes, std::uint32_t crc) {
  return blockwise(bytes.data(), bytes.size(), crc, [](std::size_t, std::size_t) {});
}

std::uint32_t crc32_while_filling(ArrayView<std::byte> bytes, std::uint32_t crc,
                                  const std::function<void(std::size_t, std::size_t)>& fill) {
  return blockwise(bytes.data(), bytes.size(), crc, fill);
}

}  // namespace cubcal
