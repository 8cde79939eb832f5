#include "cubcal_nn/serve/classifier_model.h"

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

class ClassifierModel : public ServedModel {
 public:
  ClassifierModel(const std::string& folder, const ClassifierOptions& options) {
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
    return classifier_->predict(images);
  }

 private:
  std::optional<Classifier> classifier_;
};

}  // namespace

std::shared_ptr<ServedModel> load_served_model(const std::string& folder,
                                               const ClassifierOptions& options) {
  return std::make_shared<ClassifierModel>(folder, options);
}

}  // namespace cubcal
