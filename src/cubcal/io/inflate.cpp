#include "cubcal/io/inflate.h"

#include <zlib.h>

#include <algorithm>
#include <memory>
#include <new>

#include "cubcal/core/error.h"

namespace cubcal {

std::string inflate_raw(std::string_view bytes, std::size_t max_bytes) {
  constexpr std::size_t kStep = std::size_t{1} << 18;
  z_stream state{};
  if (::inflateInit2(&state, -MAX_WBITS) != Z_OK) throw std::bad_alloc();
  const std::unique_ptr<z_stream, int (*)(z_stream*)> ended(&state, ::inflateEnd);
  std::string out;
  for (;;) {
    if (state.avail_in == 0 && !bytes.empty()) {
      const std::size_t taken = std::min(bytes.size(), kStep);
      state.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
      state.avail_in = static_cast<uInt>(taken);
      bytes.remove_prefix(taken);
    }
    const std::size_t before = out.size();
    out.resize(before + kStep);
    state.next_out = reinterpret_cast<Bytef*>(&out[before]);
    state.avail_out = static_cast<uInt>(kStep);
    const int result = ::inflate(&state, Z_NO_FLUSH);
    out.resize(before + kStep - state.avail_out);
    if (result == Z_STREAM_END) return out;
    if (result == Z_MEM_ERROR) throw std::bad_alloc();
    if (result == Z_BUF_ERROR) throw DataError("its compressed data ends too early");
    if (result != Z_OK) throw DataError("its compressed data is damaged");
    if (out.size() > max_bytes) {
      throw DataError("its compressed data gives more than " + std::to_string(max_bytes) +
                      " bytes");
    }
  }
}

}  // namespace cubcal
