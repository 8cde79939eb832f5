#pragma once

#include <string>

namespace cubcal {

/// ".cubcal-HOST-PID-NUMBER.tmp": a name that no other process of any machine gives, and by which
/// others can tell whether its writer is still there.
std::string temporary_name(unsigned long number);

/// Whether it is such a name, whoever gave it.
bool is_temporary_name(const std::string& name);

/// Removes temporary files that processes of this machine left in the folder when they were killed;
/// once for each folder. One that was written to in the last minute stays: its process may run
/// where its number cannot be seen from here. Failures to remove are passed over.
void sweep_temporary_files(const std::string& folder) noexcept;

}  // namespace cubcal
