#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace cubcal {

/// The bytes [offset, offset + count) of an open file as private, writable memory, without a copy.
/// Null where they cannot be had that way, or so many are mapped already: then read them.
///
/// Such memory shows what others do to the file. Where it is overwritten, check_mapped_inputs()
/// says so; where it is cut, touching the memory raises SIGBUS, and mapped_input_at() tells a
/// handler which file it was.
std::shared_ptr<std::byte> map_input(int descriptor, const std::string& name, std::uint64_t offset,
                                     std::size_t count);

/// Throws DataError where a file was written to since it was mapped, by its size and time of last
/// change. To be called when results are there and before they are told or written.
void check_mapped_inputs();

/// The name of the mapped file that this address belongs to, or null. For a signal handler.
const char* mapped_input_at(const void* address) noexcept;

}  // namespace cubcal
