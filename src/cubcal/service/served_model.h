#pragma once

#include <memory>
#include <vector>

#include "cubcal/answer.h"
#include "cubcal/image/image_file.h"

namespace cubcal {

/// A model as the service uses it.
class ServedModel {
 public:
  ServedModel() = default;
  virtual ~ServedModel() = default;
  ServedModel(const ServedModel&) = delete;
  ServedModel& operator=(const ServedModel&) = delete;

  virtual const ModelFacts& facts() const = 0;
  /// By any number of threads at once, also while another predicts.
  virtual std::shared_ptr<const PreparedImage> prepare(const Image& image) const = 0;
  /// By one thread at a time. The answer of an image depends on no other.
  virtual std::vector<Answer> predict(
      const std::vector<std::shared_ptr<const PreparedImage>>& images) = 0;
};

}  // namespace cubcal
