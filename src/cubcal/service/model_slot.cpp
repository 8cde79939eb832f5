#include "cubcal/service/model_slot.h"

#include "cubcal/core/class_difference.h"
#include "cubcal/io/utc_time.h"

namespace cubcal {

namespace {

/// Whoever asks by the name of the model reads its answers as those of its classes.
void refuse_other_classes(const std::string& name, const std::vector<std::string>& answering,
                          const std::vector<std::string>& loaded) {
  if (const auto difference = class_difference(answering, loaded)) {
    throw DataError("what lies in the folder of '" + name +
                    "' is not a version of it, its classes are others: " + *difference);
  }
}

}  // namespace

ModelSlot::ModelSlot(std::string name, Loader loader, const BatchOptions& batch,
                     BatchQueue::Observer observer)
    : name_(std::move(name)), loader_(std::move(loader)), queue_(batch, std::move(observer)) {
  active_ = load().number;
}

ModelVersion ModelSlot::active() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return versions_.at(active_);
}

std::optional<ModelVersion> ModelSlot::version(std::size_t number) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = versions_.find(number);
  if (found == versions_.end()) return std::nullopt;
  return found->second;
}

std::vector<ModelVersion> ModelSlot::versions() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<ModelVersion> all;
  for (const auto& [number, version] : versions_) all.push_back(version);
  return all;
}

ModelVersion ModelSlot::load() {
  if (std::optional<ModelVersion> changed = load_changed()) return *changed;
  const std::lock_guard<std::mutex> lock(mutex_);
  return versions_.at(last_);
}

std::optional<ModelVersion> ModelSlot::load_changed() {
  const std::lock_guard<std::mutex> one_at_a_time(loading_);
  ModelVersion loaded{0, loader_(), utc_time_with_milliseconds()};
  std::shared_ptr<ServedModel> dropped;  // ends after the lock
  const std::lock_guard<std::mutex> lock(mutex_);
  if (last_ > 0 && versions_.at(last_).model->facts().description_hash ==
                       loaded.model->facts().description_hash) {
    dropped = std::move(loaded.model);
    return std::nullopt;
  }
  if (last_ > 0) {
    refuse_other_classes(name_, versions_.at(active_).model->facts().class_names,
                         loaded.model->facts().class_names);
  }
  for (auto each = versions_.begin(); each != versions_.end();) {
    const bool is_kept = each->first == active_ || each->first == before_;
    if (!is_kept) dropped = each->second.model;
    each = is_kept ? std::next(each) : versions_.erase(each);
  }
  loaded.number = ++last_;
  versions_[last_] = loaded;
  return loaded;
}

void ModelSlot::promote(std::size_t number) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (versions_.count(number) == 0) {
    throw DataError("the model '" + name_ + "' has no version " + std::to_string(number) +
                    " loaded");
  }
  if (number == active_) return;
  before_ = active_;
  active_ = number;
}

void ModelSlot::roll_back() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (before_ == 0) {
    throw DataError("no other version of the model '" + name_ + "' has answered before");
  }
  std::swap(before_, active_);
}

}  // namespace cubcal
