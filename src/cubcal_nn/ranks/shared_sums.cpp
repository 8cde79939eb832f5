#include "cubcal_nn/ranks/shared_sums.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstring>
#include <ctime>
#include <random>

#include "cubcal/core/error.h"

namespace cubcal {

namespace {

using Clock = std::chrono::steady_clock;

/// Two neighbours of a cache line, since some processors fetch both.
constexpr std::size_t kApart = 128;
/// How long one looks before one sleeps: most come within it when each rank has a processor.
constexpr std::chrono::microseconds kPatience{500};
/// How often one that sleeps looks whether the other is still there.
constexpr long kSleepNanoseconds = 20'000'000;

std::string random_token() {
  std::random_device device;
  std::string token;
  for (int i = 0; i < 4; ++i) token += (i > 0 ? "-" : "") + std::to_string(device());
  return token;
}

std::string memory_name(const std::string& token) { return "cubcal-ranks-" + token; }

/// The link says what lies there before anything is opened: on another machine the same number may
/// be anything.
bool leads_to(const std::string& path, const std::string& token) {
  char target[256];
  const ::ssize_t length = ::readlink(path.c_str(), target, sizeof target);
  return length > 0 && std::string(target, static_cast<std::size_t>(length)) ==
                           "/memfd:" + memory_name(token) + " (deleted)";
}

struct ::flock byte_lock(int rank) {
  struct ::flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = rank;
  lock.l_len = 1;
  return lock;
}

void pause_a_little() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");
#endif
}

}  // namespace

/// What a rank tells the others.
struct alignas(kApart) SharedSums::Arrival {
  std::atomic<std::uint32_t> round;     ///< the last sum to which its numbers were written
  std::atomic<std::uint32_t> sleepers;  ///< those who wait for it and no longer look
  static_assert(std::atomic<std::uint32_t>::is_always_lock_free);
};

namespace {

std::size_t size_for(int ranks) {
  return static_cast<std::size_t>(ranks) * (kApart + 2 * SharedSums::kMostBytes);
}

}  // namespace

std::unique_ptr<SharedSums> SharedSums::make(int ranks) {
  const std::string token = random_token();
  const int descriptor = ::memfd_create(memory_name(token).c_str(), MFD_CLOEXEC);
  if (descriptor < 0) return nullptr;
  if (::ftruncate(descriptor, static_cast<::off_t>(size_for(ranks))) != 0) {
    ::close(descriptor);
    return nullptr;
  }
  return attach(0, ranks, descriptor, token);
}

std::string SharedSums::address() const {
  return "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(descriptor_) + ' ' +
         token_;
}

std::unique_ptr<SharedSums> SharedSums::open(const std::string& address, int rank, int ranks) {
  const std::size_t space = address.find(' ');
  if (space == std::string::npos) return nullptr;
  const std::string path = address.substr(0, space);
  const std::string token = address.substr(space + 1);
  if (!leads_to(path, token)) return nullptr;
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  return descriptor < 0 ? nullptr : attach(rank, ranks, descriptor, token);
}

/// Takes the descriptor, which it closes where the memory cannot be had.
std::unique_ptr<SharedSums> SharedSums::attach(int rank, int ranks, int descriptor,
                                               const std::string& token) {
  struct ::stat facts {};
  struct ::flock lock = byte_lock(rank);
  const bool whole = ::fstat(descriptor, &facts) == 0 &&
                     facts.st_size == static_cast<::off_t>(size_for(ranks)) &&
                     ::fcntl(descriptor, F_OFD_SETLK, &lock) == 0;
  void* memory =
      whole ? ::mmap(nullptr, size_for(ranks), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
            : MAP_FAILED;
  if (memory == MAP_FAILED) {
    ::close(descriptor);
    return nullptr;
  }
  return std::unique_ptr<SharedSums>(new SharedSums(rank, ranks, descriptor, token, memory));
}

SharedSums::SharedSums(int rank, int ranks, int descriptor, std::string token, void* memory)
    : rank_(rank),
      ranks_(ranks),
      descriptor_(descriptor),
      token_(std::move(token)),
      memory_(static_cast<std::byte*>(memory)),
      bytes_(size_for(ranks)),
      // Ranks that share processors would look while the one they wait for cannot run.
      patience_(::sysconf(_SC_NPROCESSORS_ONLN) >= ranks ? kPatience : kPatience.zero()) {}

SharedSums::~SharedSums() {
  ::munmap(memory_, bytes_);
  ::close(descriptor_);
}

/// Memory of a new file is zero, which is what these are before the first sum.
SharedSums::Arrival& SharedSums::arrival(int rank) const {
  return *reinterpret_cast<Arrival*>(memory_ + static_cast<std::size_t>(rank) * kApart);
}

std::byte* SharedSums::place(int rank) const {
  const auto ranks = static_cast<std::size_t>(ranks_);
  const std::size_t number = (round_ % 2) * ranks + static_cast<std::size_t>(rank);
  return memory_ + ranks * kApart + number * kMostBytes;
}

bool SharedSums::is_here(int rank) const {
  struct ::flock lock = byte_lock(rank);
  return ::fcntl(descriptor_, F_OFD_GETLK, &lock) != 0 || lock.l_type != F_UNLCK;
}

/// Rounds are counted beyond the largest number and begin again at 0.
bool SharedSums::has_come(int rank) const {
  const std::uint32_t ahead = arrival(rank).round.load(std::memory_order_acquire) - round_;
  return static_cast<std::int32_t>(ahead) >= 0;
}

/// In one order with sleep_for(): whoever counts itself among the sleepers too late to be seen here
/// sees the new round.
void SharedSums::say_here() {
  Arrival& own = arrival(rank_);
  own.round.store(round_, std::memory_order_seq_cst);
  if (own.sleepers.load(std::memory_order_seq_cst) == 0) return;
  ::syscall(SYS_futex, &own.round, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

bool SharedSums::watch_for(int rank) const {
  constexpr int kLooks = 64;
  const Clock::time_point end = Clock::now() + patience_;
  do {
    for (int i = 0; i < kLooks; ++i) {
      if (has_come(rank)) return true;
      pause_a_little();
    }
  } while (Clock::now() < end);
  return false;
}

void SharedSums::sleep_for(int rank) const {
  Arrival& other = arrival(rank);
  const ::timespec most{0, kSleepNanoseconds};
  other.sleepers.fetch_add(1, std::memory_order_seq_cst);
  const std::uint32_t seen = other.round.load(std::memory_order_seq_cst);
  if (!has_come(rank)) ::syscall(SYS_futex, &other.round, FUTEX_WAIT, seen, &most, nullptr, 0);
  other.sleepers.fetch_sub(1, std::memory_order_seq_cst);
}

void SharedSums::wait_for(int rank, std::chrono::milliseconds timeout) const {
  if (watch_for(rank)) return;
  const Clock::time_point end = Clock::now() + timeout;
  while (!has_come(rank)) {
    const bool here = is_here(rank);
    if (has_come(rank)) return;  // it may have come and gone
    if (!here) throw IoError("rank " + std::to_string(rank) + " ended");
    if (Clock::now() >= end) {
      throw IoError("rank " + std::to_string(rank) + " did not come within " +
                    std::to_string(timeout.count()) + " ms");
    }
    sleep_for(rank);
  }
}

template <class Number>
void SharedSums::sum_of(Number* values, std::size_t count, std::chrono::milliseconds timeout) {
  if (count * sizeof(Number) > kMostBytes) {
    throw ArgumentError("ranks add up at most " + std::to_string(kMostBytes) +
                        " bytes through shared memory, not " +
                        std::to_string(count * sizeof(Number)));
  }
  ++round_;
  std::memcpy(place(rank_), values, count * sizeof(Number));
  say_here();
  for (int rank = 0; rank < ranks_; ++rank) {
    if (rank != rank_) wait_for(rank, timeout);
  }
  std::memcpy(values, place(0), count * sizeof(Number));
  for (int rank = 1; rank < ranks_; ++rank) {
    const auto* others = reinterpret_cast<const Number*>(place(rank));
    for (std::size_t i = 0; i < count; ++i) values[i] += others[i];
  }
}

void SharedSums::sum(float* values, std::size_t count, std::chrono::milliseconds timeout) {
  sum_of(values, count, timeout);
}

void SharedSums::sum(double* values, std::size_t count, std::chrono::milliseconds timeout) {
  sum_of(values, count, timeout);
}

}  // namespace cubcal
