#include "cubcal/core/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include "cubcal/core/error.h"
#include "expect_error.h"
#include "random_logits.h"

namespace cubcal {
namespace {

using test::expect_error;
using test::Threads;

TEST(ParallelBlocks, VisitsEachIndexOnceInBlocksOfTheGivenSize) {
  for (const std::size_t threads : {1, 2, 3, 8}) {
    const Threads scope(threads);
    for (const std::size_t count : {0, 1, 2, 7, 64, 1000, 1023}) {
      for (const std::size_t block : {1, 2, 3, 64, 5000}) {
        std::vector<std::atomic<int>> visits(count);
        std::atomic<int> misplaced{0};
        parallel_blocks(count, block, [&](std::size_t first, std::size_t last) {
          if (first % block != 0 || last != std::min(count, first + block)) ++misplaced;
          for (std::size_t i = first; i < last; ++i) ++visits[i];
        });
        EXPECT_EQ(misplaced, 0);
        for (const auto& visit : visits) ASSERT_EQ(visit, 1) << count << " " << block;
      }
    }
  }
}

TEST(ParallelBlocks, TreatsABlockOfZeroAsOne) {
  std::atomic<int> calls{0};
  parallel_blocks(5, 0, [&](std::size_t first, std::size_t last) {
    EXPECT_EQ(last, first + 1);
    ++calls;
  });
  EXPECT_EQ(calls, 5);
}

TEST(ParallelBlocks, RethrowsAndStopsEarly) {
  for (const std::size_t threads : {1, 3}) {
    const Threads scope(threads);
    std::atomic<int> calls{0};
    try {
      parallel_blocks(100000, 1, [&](std::size_t first, std::size_t) {
        ++calls;
        if (first == 17) throw std::out_of_range("seventeen");
      });
      FAIL() << "nothing was thrown";
    } catch (const std::out_of_range& error) {
      EXPECT_STREQ(error.what(), "seventeen");
    }
    EXPECT_LT(calls, 100000);
  }
}

TEST(ParallelBlocks, RethrowsWhenEveryBodyThrows) {
  const Threads scope(4);
  EXPECT_THROW(
      parallel_blocks(50, 1, [](std::size_t, std::size_t) { throw std::runtime_error("all"); }),
      std::runtime_error);
}

TEST(ThreadCount, IsWhatWasSetAndAtLeastOne) {
  {
    const Threads scope(5);
    EXPECT_EQ(thread_count(), 5U);
  }
  EXPECT_GE(thread_count(), 1U);
}

TEST(ThreadCount, MoreThanAnyMachineHasIsRefused) {
  const std::size_t before = thread_count();
  expect_error<ArgumentError>([] { set_thread_count(kMostThreads + 1); },
                              "the number of threads must be at most 1024, not 1025");
  EXPECT_EQ(thread_count(), before);
}

TEST(InterruptScope, EndsTheLoopsOfItsThread) {
  for (const std::size_t threads : {1, 3}) {
    const Threads scope(threads);
    std::atomic<std::size_t> asked{0};
    // Only the thread of the scope asks: the others leave it the time to, however busy the machine.
    const auto own = std::this_thread::get_id();
    const auto work = [&](std::size_t, std::size_t) {
      while (std::this_thread::get_id() != own && asked <= 3) std::this_thread::yield();
    };
    {
      const InterruptScope interrupt([&] { return ++asked > 3; });
      EXPECT_THROW(parallel_blocks(100000, 1, work), Interrupted);
      EXPECT_EQ(asked, 4U);
      const InterruptScope never([] { return false; });
      EXPECT_NO_THROW(parallel_blocks(10, 1, [](std::size_t, std::size_t) {}));
    }
    EXPECT_NO_THROW(parallel_blocks(10, 1, [](std::size_t, std::size_t) {}));
    EXPECT_EQ(asked, 4U);
  }
}

}  // namespace
}  // namespace cubcal
