#include "cubcal_nn/ranks/shared_sums.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>
#include <thread>
#include <vector>

#include "cubcal/core/error.h"
#include "expect_error.h"

namespace cubcal::test {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLong{60'000};

/// Each rank on a thread, with a mapping of its own as a process has.
void run_shared(int ranks, const std::function<void(SharedSums&, int)>& work) {
  std::vector<std::unique_ptr<SharedSums>> all;
  all.push_back(SharedSums::make(ranks));
  ASSERT_NE(all.front(), nullptr);
  for (int rank = 1; rank < ranks; ++rank) {
    all.push_back(SharedSums::open(all.front()->address(), rank, ranks));
    ASSERT_NE(all.back(), nullptr);
  }
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] { work(*all[static_cast<std::size_t>(rank)], rank); });
  }
  for (std::thread& thread : threads) thread.join();
}

template <class Number>
Number value_of(int rank, int round, std::size_t i) {
  return static_cast<Number>(1.0 / (1 + rank + 3 * round + 7 * static_cast<int>(i % 100)));
}

/// What all have after a round, added up in the order of ranks.
template <class Number>
Number whole_of(int ranks, int round, std::size_t i) {
  Number sum = value_of<Number>(0, round, i);
  for (int rank = 1; rank < ranks; ++rank) sum += value_of<Number>(rank, round, i);
  return sum;
}

template <class Number>
int wrong_values(SharedSums& shared, int rank, int ranks, int round, std::size_t count) {
  std::vector<Number> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = value_of<Number>(rank, round, i);
  shared.sum(values.data(), count, kLong);
  int wrong = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (values[i] != whole_of<Number>(ranks, round, i)) ++wrong;
  }
  return wrong;
}

TEST(SharedSums, AddUpInTheOrderOfRanksRoundAfterRound) {
  for (const int ranks : {2, 4}) {
    run_shared(ranks, [&](SharedSums& shared, int rank) {
      for (int round = 0; round < 600; ++round) {
        const std::size_t count = round % 100 == 0 ? SharedSums::kMostBytes / 8
                                                   : static_cast<std::size_t>(1 + round % 61);
        // Ranks come at different times, and some sleep before others come.
        if (round % 200 == 40 * rank) std::this_thread::sleep_for(milliseconds(2));
        EXPECT_EQ(wrong_values<double>(shared, rank, ranks, round, count), 0) << round;
        EXPECT_EQ(wrong_values<float>(shared, rank, ranks, round, count), 0) << round;
      }
    });
  }
}

TEST(SharedSums, TakeNoMoreThanHasItsPlace) {
  const std::unique_ptr<SharedSums> shared = SharedSums::make(1);
  ASSERT_NE(shared, nullptr);
  std::vector<float> values(SharedSums::kMostBytes / 4 + 1, 1.0F);
  shared->sum(values.data(), values.size() - 1, kLong);
  expect_error<ArgumentError>([&] { shared->sum(values.data(), values.size(), kLong); },
                              "at most 65536 bytes through shared memory, not 65540");
}

TEST(SharedSums, AreNotFoundWhereTheyAreNot) {
  const std::unique_ptr<SharedSums> shared = SharedSums::make(2);
  ASSERT_NE(shared, nullptr);
  const std::string address = shared->address();
  EXPECT_EQ(SharedSums::open("", 1, 2), nullptr);
  EXPECT_EQ(SharedSums::open(address + "0", 1, 2), nullptr) << "of another token";
  EXPECT_EQ(SharedSums::open("/dev/null" + address.substr(address.find(' ')), 1, 2), nullptr);
  EXPECT_EQ(SharedSums::open(address, 1, 4), nullptr) << "of another number of ranks";
  EXPECT_EQ(SharedSums::open(address, 0, 2), nullptr) << "another has this rank";
  EXPECT_NE(SharedSums::open(address, 1, 2), nullptr);
}

TEST(SharedSums, EndWhereARankDoesNotCome) {
  const std::unique_ptr<SharedSums> first = SharedSums::make(2);
  ASSERT_NE(first, nullptr);
  const std::unique_ptr<SharedSums> second = SharedSums::open(first->address(), 1, 2);
  double value = 1;
  expect_error<IoError>([&] { first->sum(&value, 1, milliseconds(30)); },
                        "rank 1 did not come within 30 ms");
}

/// A process that is the second rank; returns when it has found the memory.
int start_second(const std::string& address, const std::function<void(SharedSums&)>& work) {
  int ends[2] = {-1, -1};
  EXPECT_EQ(::pipe(ends), 0);
  const int pid = ::fork();
  if (pid == 0) {
    const std::unique_ptr<SharedSums> second = SharedSums::open(address, 1, 2);
    if (second == nullptr || ::write(ends[1], "+", 1) != 1) ::_exit(1);
    work(*second);
    ::_exit(0);
  }
  ::close(ends[1]);
  char found = 0;
  EXPECT_EQ(::read(ends[0], &found, 1), 1);
  ::close(ends[0]);
  return pid;
}

TEST(SharedSums, ProcessesMeetAndAKilledOneIsNoticed) {
  const std::unique_ptr<SharedSums> first = SharedSums::make(2);
  ASSERT_NE(first, nullptr);
  const int pid = start_second(first->address(), [](SharedSums& second) {
    double value = 2;
    second.sum(&value, 1, kLong);
    for (;;) ::pause();
  });
  double value = 1;
  first->sum(&value, 1, kLong);
  EXPECT_EQ(value, 3);
  std::thread killer([pid] {
    std::this_thread::sleep_for(milliseconds(10));
    ::kill(pid, SIGKILL);
  });
  const auto start = std::chrono::steady_clock::now();
  expect_error<IoError>([&] { first->sum(&value, 1, kLong); }, "rank 1 ended");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
  killer.join();
  ::waitpid(pid, nullptr, 0);
}

TEST(SharedSums, WhoCameAndLeftIsCounted) {
  const std::unique_ptr<SharedSums> first = SharedSums::make(2);
  ASSERT_NE(first, nullptr);
  std::unique_ptr<SharedSums> second = SharedSums::open(first->address(), 1, 2);
  double theirs = 2;
  std::thread leaving([&] {
    second->sum(&theirs, 1, kLong);
    second.reset();
  });
  std::this_thread::sleep_for(milliseconds(5));
  double value = 1;
  first->sum(&value, 1, kLong);
  leaving.join();
  EXPECT_EQ(value, 3);
  EXPECT_EQ(theirs, 3);
}

}  // namespace
}  // namespace cubcal::test
