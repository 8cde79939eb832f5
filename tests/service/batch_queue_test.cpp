#include "cubcal/service/batch_queue.h"

#include <gtest/gtest.h>

#include "service/fake_model.h"

namespace cubcal::test {
namespace {

using namespace std::chrono_literals;

std::shared_ptr<const PreparedImage> level(double value) {
  auto prepared = std::make_shared<FakePrepared>();
  prepared->level = value;
  return prepared;
}

class BatchQueueTest : public testing::Test {
 protected:
  std::future<Answer> ask(BatchQueue& queue, double value, ServiceClock::duration patience = 60s) {
    auto futures = queue.submit(model_, {level(value)}, ServiceClock::now() + patience);
    EXPECT_EQ(futures.size(), 1U);
    return std::move(futures.at(0));
  }

  std::shared_ptr<FakeModel> model_ = std::make_shared<FakeModel>();
};

TEST_F(BatchQueueTest, GathersWhatWaitsAndKeepsEachAnswerWithItsImage) {
  BatchQueue queue({4, 1ms, 100}, {});
  model_->hold();
  std::vector<std::future<Answer>> answers;
  answers.push_back(ask(queue, 0.1));
  model_->wait_for_calls(1);
  for (int i = 0; i < 6; ++i) answers.push_back(ask(queue, 0.1 * (i + 2)));
  EXPECT_EQ(queue.waiting(), 6U);
  model_->go_on();
  for (std::size_t i = 0; i < answers.size(); ++i) {
    EXPECT_DOUBLE_EQ(answers[i].get().total, 0.05 * static_cast<double>(i + 1));
  }
  EXPECT_EQ(model_->batches(), (std::vector<std::size_t>{1, 4, 2}));
}

TEST_F(BatchQueueTest, TakesAllImagesOfARequestOrNone) {
  BatchQueue queue({1, 0ms, 2}, {});
  model_->hold();
  std::future<Answer> first = ask(queue, 0.1);
  model_->wait_for_calls(1);
  std::future<Answer> second = ask(queue, 0.2);
  const auto deadline = ServiceClock::now() + 60s;
  EXPECT_TRUE(queue.submit(model_, {level(0), level(0)}, deadline).empty());
  EXPECT_EQ(queue.waiting(), 1U);
  EXPECT_EQ(queue.submit(model_, {level(0)}, deadline).size(), 1U);
  model_->go_on();
  first.get();
  EXPECT_DOUBLE_EQ(second.get().total, 0.1);
}

TEST_F(BatchQueueTest, DropsWhatIsLateWithoutAskingTheModel) {
  std::size_t expired = 0;
  {
    BatchQueue queue({8, 0ms, 8}, [&](const BatchReport& report) { expired += report.expired; });
    model_->hold();
    std::future<Answer> first = ask(queue, 0.1);
    model_->wait_for_calls(1);
    std::future<Answer> late = ask(queue, 0.2, -1ms);
    std::future<Answer> other = ask(queue, 0.3);
    model_->go_on();
    EXPECT_THROW(late.get(), DeadlinePassed);
    EXPECT_DOUBLE_EQ(other.get().total, 0.15);
  }
  EXPECT_EQ(expired, 1U);
  EXPECT_EQ(model_->batches(), (std::vector<std::size_t>{1, 1}));
}

TEST_F(BatchQueueTest, WhatFailsTogetherIsTriedAlone) {
  BatchQueue queue({8, 0ms, 8}, {});
  model_->hold();
  std::future<Answer> first = ask(queue, 0.1);
  model_->wait_for_calls(1);
  std::future<Answer> white = ask(queue, 1);
  std::future<Answer> other = ask(queue, 0.3);
  model_->go_on();
  EXPECT_DOUBLE_EQ(white.get().total, 0.5);
  EXPECT_DOUBLE_EQ(other.get().total, 0.15);
}

TEST_F(BatchQueueTest, AnswersWhatWaitsBeforeItEnds) {
  std::future<Answer> last;
  {
    BatchQueue queue({1, 0ms, 8}, {});
    for (int i = 0; i < 5; ++i) last = ask(queue, 0.5);
  }
  ASSERT_EQ(last.wait_for(0s), std::future_status::ready);
  EXPECT_DOUBLE_EQ(last.get().total, 0.25);
}

TEST_F(BatchQueueTest, ACallIsOfOneVersion) {
  BatchQueue queue({8, 0ms, 8}, {});
  auto other = std::make_shared<FakeModel>();
  model_->hold();
  std::future<Answer> first = ask(queue, 0.1);
  model_->wait_for_calls(1);
  std::future<Answer> second = ask(queue, 0.1);
  auto third = queue.submit(other, {level(0.2)}, ServiceClock::now() + 60s);
  model_->go_on();
  third.at(0).get();
  EXPECT_EQ(model_->batches(), (std::vector<std::size_t>{1, 1}));
  EXPECT_EQ(other->batches(), (std::vector<std::size_t>{1}));
}

}  // namespace
}  // namespace cubcal::test
