#include "cubcal/io/mapped_input.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <utility>

#include "cubcal/core/error.h"
#include "cubcal/io/utf8.h"

namespace cubcal {

namespace {

/// What is mapped, where a signal handler can read it, which may not wait for a lock or allocate.
struct MappedInput {
  std::atomic<bool> there{false};
  const std::byte* begin = nullptr;
  std::size_t length = 0;
  int descriptor = -1;
  struct stat facts {};
  char name[1024] = {};
};

constexpr std::size_t kMostMapped = 64;
std::array<MappedInput, kMostMapped> inputs;
std::mutex inputs_mutex;
/// Of a file that was changed and is no longer mapped.
std::string changed_input;

bool is_changed(const MappedInput& input) {
  struct stat now {};
  if (::fstat(input.descriptor, &now) != 0) return true;
  return now.st_size != input.facts.st_size || now.st_mtim.tv_sec != input.facts.st_mtim.tv_sec ||
         now.st_mtim.tv_nsec != input.facts.st_mtim.tv_nsec;
}

void unmap(MappedInput& input) {
  const std::lock_guard<std::mutex> lock(inputs_mutex);
  if (is_changed(input)) changed_input = input.name;
  input.there = false;
  ::munmap(const_cast<std::byte*>(input.begin), input.length);
  ::close(input.descriptor);
}

}  // namespace

std::shared_ptr<std::byte> map_input(int descriptor, const std::string& name, std::uint64_t offset,
                                     std::size_t count) {
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  const std::uint64_t start = offset - offset % page;
  const std::string shown = printable(name);
  std::unique_lock<std::mutex> lock(inputs_mutex);
  const auto place = std::find_if(inputs.begin(), inputs.end(),
                                  [](const MappedInput& input) { return !input.there; });
  if (place == inputs.end()) return nullptr;
  place->length = count + static_cast<std::size_t>(offset - start);
  place->descriptor = ::fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
  if (place->descriptor < 0) return nullptr;
  void* memory = MAP_FAILED;
  if (::fstat(descriptor, &place->facts) == 0 &&
      static_cast<std::uint64_t>(place->facts.st_size) >= offset + count) {
    memory = ::mmap(nullptr, place->length, PROT_READ | PROT_WRITE, MAP_PRIVATE, descriptor,
                    static_cast<off_t>(start));
  }
  if (memory == MAP_FAILED) {
    ::close(place->descriptor);
    return nullptr;
  }
  place->begin = static_cast<const std::byte*>(memory);
  const std::size_t length = std::min(shown.size(), sizeof place->name - 1);
  *std::copy_n(shown.data(), length, place->name) = '\0';
  place->there = true;
  MappedInput& input = *place;
  lock.unlock();  // a pointer that cannot be made unmaps at once, which takes the lock
  const std::shared_ptr<void> mapping(memory, [&input](void* /*memory*/) { unmap(input); });
  return {mapping, static_cast<std::byte*>(memory) + (offset - start)};
}

void check_mapped_inputs() {
  const std::lock_guard<std::mutex> lock(inputs_mutex);
  std::string changed = std::exchange(changed_input, {});
  for (const MappedInput& input : inputs) {
    if (changed.empty() && input.there && is_changed(input)) changed = input.name;
  }
  if (!changed.empty()) {
    throw DataError("'" + changed +
                    "' was changed while it was being read, so what was read is not to be trusted: "
                    "run again when it is written");
  }
}

const char* mapped_input_at(const void* address) noexcept {
  for (const MappedInput& input : inputs) {
    if (input.there && address >= input.begin && address < input.begin + input.length) {
      return input.name;
    }
  }
  return nullptr;
}

}  // namespace cubcal
