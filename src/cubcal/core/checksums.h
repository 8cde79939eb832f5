#pragma once

namespace cubcal {

/// Whether a checksum or a stored hash that does not match is an error. It is, but for fuzzers:
/// they cannot guess one, and would never get past it. Only a build for fuzzing can say no.
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
inline bool checksums_count = true;
#else
inline constexpr bool checksums_count = true;
#endif

}  // namespace cubcal
