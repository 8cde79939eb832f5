#pragma once

#include <condition_variable>
#include <mutex>
#include <numeric>
#include <vector>

#include "cubcal/service/served_model.h"

namespace cubcal::test {

struct FakePrepared : PreparedImage {
  double level = 0;
};

/// Answers by the mean level of an image. Can be held back, so that images pile up.
class FakeModel : public ServedModel {
 public:
  explicit FakeModel(std::string hash = "0123456789abcdef") {
    facts_.name = "Brightness";
    facts_.version = "3";
    facts_.network = "fake";
    facts_.class_names = {"dark", "middle", "bright"};
    facts_.eta = 0.325;
    facts_.refer_above = 0.325;
    facts_.passes = 4;
    facts_.height = facts_.width = 16;
    facts_.channels = 1;
    facts_.dicom_window = "file";
    facts_.weights_hash = facts_.description_hash = std::move(hash);
  }
  FakeModel(std::string hash, std::vector<std::string> classes) : FakeModel(std::move(hash)) {
    facts_.class_names = std::move(classes);
  }

  const ModelFacts& facts() const override { return facts_; }

  std::shared_ptr<const PreparedImage> prepare(const Image& image) const override {
    auto prepared = std::make_shared<FakePrepared>();
    const std::size_t count = image.pixels.size() + image.deep_pixels.size();
    const double sum =
        std::accumulate(image.pixels.begin(), image.pixels.end(), 0.0) / 255 +
        std::accumulate(image.deep_pixels.begin(), image.deep_pixels.end(), 0.0) / 65535;
    prepared->level = sum / static_cast<double>(count);
    return prepared;
  }

  std::vector<Answer> predict(
      const std::vector<std::shared_ptr<const PreparedImage>>& images) override {
    std::unique_lock<std::mutex> lock(mutex_);
    batches_.push_back(images.size());
    changed_.notify_all();
    changed_.wait(lock, [&] { return !held_; });
    std::vector<Answer> answers;
    for (const auto& image : images) {
      Answer answer;
      const double level = static_cast<const FakePrepared&>(*image).level;
      if (level > 0.999 && images.size() > 1) throw DataError("white images cannot be together");
      answer.label_index = level < 1.0 / 3 ? 0 : level < 2.0 / 3 ? 1 : 2;
      answer.label = facts_.class_names[answer.label_index];
      answer.probabilities = {1 - level, level / 2, level / 2};
      answer.confidence = 0.5 + level / 3;
      answer.total = level / 2;
      answer.aleatoric = level / 4;
      answer.epistemic = level / 4;
      answer.decision = answer.total > facts_.refer_above ? Decision::kRefer : Decision::kAccept;
      answer.reason = "so it is";
      answer.passes = 4;
      answer.spread_low = {0, 0, 0};
      answer.spread_high = {1, 1, 1};
      answers.push_back(answer);
    }
    return answers;
  }

  void hold() { set_held(true); }
  void go_on() { set_held(false); }
  /// Waits until so many calls have begun.
  void wait_for_calls(std::size_t count) {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [&] { return batches_.size() >= count; });
  }
  std::vector<std::size_t> batches() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return batches_;
  }

 private:
  void set_held(bool held) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      held_ = held;
    }
    changed_.notify_all();
  }

  ModelFacts facts_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool held_ = false;
  std::vector<std::size_t> batches_;
};

}  // namespace cubcal::test
