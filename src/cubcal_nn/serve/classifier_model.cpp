#include "cubcal_nn/serve/classifier_model.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <mutex>
#include <optional>

namespace cubcal {

namespace {

std::mutex& compute_lock() {
  static std::mutex lock;
  return lock;
}

PixelView view_of(const Image& image) {
  const void* pixels = image.is_deep() ? static_cast<const void*>(image.deep_pixels.data())
                                       : static_cast<const void*>(image.pixels.data());
  return {pixels, image.height, image.width, image.channels, image.is_deep() ? 16 : 8};
}

/// On a CPU the engine goes over to another filter, which rounds differently, once a call has 16
/// images (infer/mc_engine.cpp). A call of fewer gives each image the answer it has alone.
constexpr std::size_t kSteadyImages = 15;

class ClassifierModel : public ServedModel {
 public:
  ClassifierModel(const std::string& folder, const ClassifierOptions& options)
      : most_(options.device == "cpu" ? kSteadyImages : std::numeric_limits<std::size_t>::max()) {
    const std::lock_guard<std::mutex> lock(compute_lock());
    classifier_.emplace(folder, options);
  }

  const ModelFacts& facts() const override { return classifier_->facts(); }

  std::shared_ptr<const PreparedImage> prepare(const Image& image) const override {
    return classifier_->prepare(view_of(image));
  }

  std::vector<Answer> predict(
      const std::vector<std::shared_ptr<const PreparedImage>>& images) override {
    const std::lock_guard<std::mutex> lock(compute_lock());
    std::vector<Answer> answers;
    for (std::size_t first = 0; first < images.size();) {
      const std::size_t count = std::min(most_, images.size() - first);
      const auto start = images.begin() + static_cast<std::ptrdiff_t>(first);
      std::vector<Answer> some =
          classifier_->predict(std::vector(start, start + static_cast<std::ptrdiff_t>(count)));
      std::move(some.begin(), some.end(), std::back_inserter(answers));
      first += count;
    }
    return answers;
  }

 private:
  std::size_t most_;  ///< images of one call
  std::optional<Classifier> classifier_;
};

}  // namespace

std::shared_ptr<ServedModel> load_served_model(const std::string& folder,
                                               const ClassifierOptions& options) {
  return std::make_shared<ClassifierModel>(folder, options);
}

}  // namespace cubcal
