#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "cubcal/service/batch_queue.h"

namespace cubcal {

/// A model as it was loaded at one time.
struct ModelVersion {
  std::size_t number = 0;  ///< from 1, in the order of loading
  std::shared_ptr<ServedModel> model;
  std::string loaded;  ///< when, UTC
};

/// A served name: the versions loaded under it, which of them answers, and the thread that does.
/// For any number of threads.
class ModelSlot {
 public:
  using Loader = std::function<std::shared_ptr<ServedModel>()>;

  /// Loads and promotes version 1. Throws what the loader throws.
  ModelSlot(std::string name, Loader loader, const BatchOptions& batch,
            BatchQueue::Observer observer);

  const std::string& name() const { return name_; }
  ModelVersion active() const;
  std::optional<ModelVersion> version(std::size_t number) const;
  std::vector<ModelVersion> versions() const;  ///< that are loaded, by number
  BatchQueue& queue() { return queue_; }

  /// Loads what lies in the folder now, beside the versions that are loaded; where it is what was
  /// loaded last, that stays. Besides the one that answers and the one before it, one is kept.
  /// Throws what the loader throws, and DataError for a model of other classes than those of the
  /// one that answers; then nothing has changed.
  ModelVersion load();
  /// The same; none where the folder holds what was loaded last.
  std::optional<ModelVersion> load_changed();
  /// That version answers from now on; requests under way end with theirs. Throws DataError for
  /// one that is not loaded.
  void promote(std::size_t number);
  /// Promotes the one that answered before. Throws DataError where there is none.
  void roll_back();

 private:
  const std::string name_;
  const Loader loader_;
  std::mutex loading_;  ///< one at a time
  mutable std::mutex mutex_;
  std::map<std::size_t, ModelVersion> versions_;
  std::size_t active_ = 0;
  std::size_t before_ = 0;  ///< 0: none
  std::size_t last_ = 0;
  BatchQueue queue_;  ///< last: its thread ends first
};

}  // namespace cubcal
