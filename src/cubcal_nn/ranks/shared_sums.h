#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace cubcal {

/// Memory that the ranks of one machine share, through which they add up a few numbers in
/// microseconds: through sockets and the threads that serve them it takes a hundred times as long.
///
/// Each rank writes its numbers to a place of its own, says so, waits until all have and adds up
/// all of them itself, in the order of ranks. There are two sets of places: whoever writes to one
/// for the next time but one knows that all have read it, since they have written to the other
/// since. Who waits looks again and again for a while, and then sleeps.
///
/// The memory has no name, and is gone with the last process that has it. Each rank holds a lock on
/// its byte of it, which the kernel opens when the process ends.
class SharedSums {
 public:
  /// Of the numbers of one sum.
  static constexpr std::size_t kMostBytes = std::size_t{1} << 16;

  /// Rank 0's, for all `ranks` ranks; null where the system has no such memory.
  static std::unique_ptr<SharedSums> make(int ranks);
  /// Where the others find it.
  std::string address() const;
  /// Another rank's; null where there is nothing at that address: on another machine, or where one
  /// process may not look at the other.
  static std::unique_ptr<SharedSums> open(const std::string& address, int rank, int ranks);

  ~SharedSums();
  SharedSums(const SharedSums&) = delete;
  SharedSums& operator=(const SharedSums&) = delete;

  /// Adds up what all ranks have, in place. All call it in the same order with as many values, of
  /// at most kMostBytes. Throws IoError where a rank ends, or does not come within the timeout.
  void sum(float* values, std::size_t count, std::chrono::milliseconds timeout);
  void sum(double* values, std::size_t count, std::chrono::milliseconds timeout);

 private:
  struct Arrival;

  int rank_;
  int ranks_;
  int descriptor_;
  std::string token_;
  std::byte* memory_;
  std::size_t bytes_;
  std::uint32_t round_ = 0;
  std::chrono::microseconds patience_;

  SharedSums(int rank, int ranks, int descriptor, std::string token, void* memory);
  static std::unique_ptr<SharedSums> attach(int rank, int ranks, int descriptor,
                                            const std::string& token);
  Arrival& arrival(int rank) const;
  std::byte* place(int rank) const;
  bool is_here(int rank) const;
  bool has_come(int rank) const;
  void say_here();
  void wait_for(int rank, std::chrono::milliseconds timeout) const;
  bool watch_for(int rank) const;
  void sleep_for(int rank) const;
  template <class Number>
  void sum_of(Number* values, std::size_t count, std::chrono::milliseconds timeout);
};

}  // namespace cubcal
