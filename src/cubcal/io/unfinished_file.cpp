#include "cubcal/io/unfinished_file.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>

namespace cubcal {

namespace {

/// The files of the process where a signal handler can read them, which may not wait for a lock or
/// allocate. A file that finds no free place is only not removed by a signal.
struct Place {
  std::atomic<bool> taken{false};
  std::atomic<bool> there{false};
  char path[4096];
};
constexpr std::size_t kPlaces = 16;
std::array<Place, kPlaces> places;

/// kPlaces where all are taken.
std::size_t place_for(const std::string& path) {
  for (std::size_t i = 0; i < kPlaces; ++i) {
    Place& place = places[i];
    if (path.size() >= sizeof place.path || place.taken.exchange(true)) continue;
    std::copy(path.c_str(), path.c_str() + path.size() + 1, place.path);
    place.there = true;
    return i;
  }
  return kPlaces;
}

}  // namespace

UnfinishedFile::UnfinishedFile(const std::string& path) : place_(place_for(path)) {}

UnfinishedFile::~UnfinishedFile() {
  if (place_ == kPlaces) return;
  places[place_].there = false;
  places[place_].taken = false;
}

void remove_unfinished_files() noexcept {
  for (const Place& place : places) {
    if (place.there) ::unlink(place.path);
  }
}

}  // namespace cubcal
