#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cubcal {

/// What a raw deflate stream (RFC 1951, without head and checksum) holds; bytes behind its end are
/// passed over. Throws DataError with the reason where it is damaged, cut short or gives more than
/// max_bytes.
std::string inflate_raw(std::string_view bytes, std::size_t max_bytes);

}  // namespace cubcal
