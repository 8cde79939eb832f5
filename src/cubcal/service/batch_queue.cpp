#include "cubcal/service/batch_queue.h"

#include <algorithm>

namespace cubcal {

BatchQueue::BatchQueue(const BatchOptions& options, Observer observer)
    : options_(options), observer_(std::move(observer)), owner_([this] { work(); }) {}

BatchQueue::~BatchQueue() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    closed_ = true;
  }
  changed_.notify_all();
  owner_.join();
}

std::vector<std::future<Answer>> BatchQueue::submit(
    const std::shared_ptr<ServedModel>& model,
    const std::vector<std::shared_ptr<const PreparedImage>>& images,
    ServiceClock::time_point deadline) {
  std::vector<std::future<Answer>> answers;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (closed_ || jobs_.size() + images.size() > options_.queue) return {};
    for (const auto& image : images) {
      jobs_.push_back({model, image, deadline, {}});
      answers.push_back(jobs_.back().answer.get_future());
    }
  }
  changed_.notify_one();
  return answers;
}

std::size_t BatchQueue::waiting() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return jobs_.size();
}

double BatchQueue::seconds_of_work() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return seconds_per_image_ * static_cast<double>(jobs_.size() + in_work_);
}

std::vector<BatchQueue::Job> BatchQueue::next_batch() {
  std::unique_lock<std::mutex> lock(mutex_);
  in_work_ = 0;
  changed_.wait(lock, [&] { return closed_ || !jobs_.empty(); });
  if (last_batch_ > 1 && !closed_) {
    changed_.wait_for(lock, options_.gather,
                      [&] { return closed_ || jobs_.size() >= options_.most; });
  }
  std::vector<Job> batch;
  // A call is of one model: images for another version wait for the next.
  while (!jobs_.empty() && batch.size() < options_.most &&
         (batch.empty() || jobs_.front().model == batch.front().model)) {
    batch.push_back(std::move(jobs_.front()));
    jobs_.pop_front();
  }
  last_batch_ = in_work_ = batch.size();
  return batch;
}

void BatchQueue::work() {
  while (true) {
    std::vector<Job> batch = next_batch();
    if (batch.empty()) return;
    answer(std::move(batch));
  }
}

void BatchQueue::answer(std::vector<Job> batch) {
  BatchReport report;
  const ServiceClock::time_point start = ServiceClock::now();
  const auto late = std::stable_partition(batch.begin(), batch.end(),
                                          [&](const Job& job) { return job.deadline > start; });
  for (auto job = late; job != batch.end(); ++job) {
    ++report.expired;
    job->answer.set_exception(std::make_exception_ptr(
        DeadlinePassed("the deadline passed before the image's turn came")));
  }
  batch.erase(late, batch.end());
  report.images = batch.size();
  std::vector<std::shared_ptr<const PreparedImage>> images;
  images.reserve(batch.size());
  for (const Job& job : batch) images.push_back(job.image);
  std::vector<Answer> answers;
  try {
    if (!batch.empty()) answers = batch.front().model->predict(images);
  } catch (...) {
    // What fails together may succeed alone, for example where memory was short.
    for (Job& job : batch) {
      try {
        job.answer.set_value(job.model->predict({job.image}).at(0));
      } catch (...) {
        job.answer.set_exception(std::current_exception());
      }
    }
    batch.clear();
  }
  report.seconds = std::chrono::duration<double>(ServiceClock::now() - start).count();
  if (report.images > 0) {
    const std::lock_guard<std::mutex> lock(mutex_);
    seconds_per_image_ = report.seconds / static_cast<double>(report.images);
  }
  if (observer_) observer_(report);
  for (std::size_t i = 0; i < batch.size(); ++i) batch[i].answer.set_value(std::move(answers[i]));
}

}  // namespace cubcal
