#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "cubcal/core/seed_stream.h"

namespace cubcal::test {

using Seconds = std::chrono::duration<double>;

/// How often each command is killed: CUBCAL_KILLS, or this many.
std::size_t kills_or(std::size_t fewer);

/// Starts the program in the folder and kills it (SIGKILL) after this time, unless it ended before:
/// then true. Its output is dropped.
bool run_and_kill(const std::vector<std::string>& arguments, const std::filesystem::path& folder,
                  Seconds after);

/// How long a run that nothing disturbs takes. Expects exit code 0.
Seconds time_of(const std::vector<std::string>& arguments, const std::filesystem::path& folder);

/// A moment of a run of that length, most often while it works and writes.
inline Seconds random_moment(SeedStream& random, Seconds length, double earliest) {
  return length * (earliest + (1.1 - earliest) * random.uniform());
}

}  // namespace cubcal::test
