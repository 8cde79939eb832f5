#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

#include "cubcal/core/content_hash.h"
#include "cubcal/core/error.h"
#include "cubcal_nn/ood/registry.h"

namespace cubcal {

namespace {

constexpr const char* kMembers[] = {"appearance", "mahalanobis", "knn", "vim"};
constexpr std::uint64_t kFold = 5;   ///< one training image in so many is held out
constexpr std::size_t kFewest = 20;  ///< held-out images that a scale is taken from

/// The value that a share of the others does not exceed, itself one of them.
double quantile(const std::vector<double>& rising, double share) {
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(rising.size())));
  return rising[std::max<std::size_t>(rank, 1) - 1];
}

/// Fits detectors of one set of training images side by side, each as often as it needs.
class Panel {
 public:
  explicit Panel(const DetectorOptions& options) {
    for (const char* name : kMembers) members_.push_back(make_detector(name, options));
  }

  int passes() const {
    int most = 0;
    for (const auto& each : members_) most = std::max(most, each->passes());
    return most;
  }
  void observe(const DetectorInput& batch, const at::Tensor& labels) {
    for (const auto& each : members_) {
      if (!each->fitted()) each->observe(batch, labels);
    }
  }
  void finish_pass() {
    for (const auto& each : members_) {
      if (!each->fitted()) each->finish_pass();
    }
  }
  /// [B, members].
  at::Tensor scores(const DetectorInput& batch) const {
    std::vector<at::Tensor> columns;
    for (const auto& each : members_) columns.push_back(each->score(batch));
    return at::stack(columns, 1);
  }

  NamedTensors tensors() const {
    NamedTensors all;
    for (const auto& each : members_) {
      for (const auto& [name, tensor] : each->state()) {
        all.emplace_back(each->name() + "." + name, tensor);
      }
    }
    return all;
  }
  void set_tensors(const NamedTensors& tensors) {
    for (const auto& each : members_) {
      const std::string prefix = each->name() + ".";
      NamedTensors own;
      for (const auto& [name, tensor] : tensors) {
        if (name.compare(0, prefix.size(), prefix) != 0) continue;
        own.emplace_back(name.substr(prefix.size()), tensor);
      }
      if (own.empty())
        throw DataError("the detector's state lacks its member '" + each->name() + "'");
      each->restore(own, own.front().second.device());
    }
  }

 private:
  std::vector<std::unique_ptr<Detector>> members_;
};

/// Several detectors as one: each member's score in units of its own tail, and the largest of them,
///   max_i (s_i - median_i) / (q95_i - median_i),
/// so that an image unlike the training images in any one respect stands out. Median and 95%
/// quantile are those of training images that the member had not seen: four fifths of the images
/// fit the members once, the others are scored, and then all fit them anew (a distance in many
/// dimensions is much smaller for images of its own fit). Which images are held out follows from
/// their appearance alone. Where they are too few, the scales come from the fit's own images.
class Combined final : public Detector {
 public:
  explicit Combined(const DetectorOptions& options)
      : Detector("combined", options), trial_(options), panel_(options) {}

  /// The trial, its held-out images, the fit, and its own images where those were too few.
  int passes() const override { return 2 * panel_.passes() + 2; }

 private:
  std::vector<std::int64_t> dimensions(const DetectorInput& batch) const override {
    return {appearance_rows(batch).size(1), last_tap(batch).size(1)};
  }

  void take(const DetectorInput& batch, const at::Tensor& labels) override {
    const int trial_passes = trial_.passes();
    if (pass_ < trial_passes) {
      const at::Tensor rows = rows_where(batch, /*held_out=*/false);
      kept_ += pass_ == 0 ? rows.size(0) : 0;
      if (rows.size(0) > 0) trial_.observe(batch.rows(rows), labels.index_select(0, rows));
    } else if (pass_ == trial_passes) {
      const at::Tensor rows = rows_where(batch, /*held_out=*/true);
      if (kept_ > 0 && rows.size(0) > 0) collect(trial_.scores(batch.rows(rows)));
    } else if (pass_ < passes() - 1) {
      panel_.observe(batch, labels);
    } else if (!scale_.defined()) {
      collect(panel_.scores(batch));
    }
  }

  void end_pass(int pass) override {
    const int trial_passes = trial_.passes();
    if (pass < trial_passes) {
      if (kept_ > 0) trial_.finish_pass();
    } else if (pass == trial_passes) {
      if (seen_.size() / std::size(kMembers) >= kFewest) set_scale();
      seen_.clear();
    } else if (pass < passes() - 1) {
      panel_.finish_pass();
    } else if (!scale_.defined()) {
      set_scale();
    }
    ++pass_;
  }

  at::Tensor scores(const DetectorInput& batch) const override {
    const at::Tensor all = panel_.scores(batch);
    const at::Tensor scale = scale_.to(all.device());
    return ((all - scale[0]) / scale[1]).amax(1);
  }

  NamedTensors fitted_tensors() const override {
    NamedTensors tensors = panel_.tensors();
    tensors.emplace_back("scale", scale_);
    return tensors;
  }
  void set_fitted_tensors(const NamedTensors& tensors) override {
    panel_.set_tensors(tensors);
    scale_ = entry(tensors, "scale", {2, static_cast<std::int64_t>(std::size(kMembers))});
  }

  static at::Tensor rows_where(const DetectorInput& batch, bool held_out) {
    const at::Tensor rows = appearance_rows(batch).cpu().contiguous();
    const auto bytes = static_cast<std::size_t>(rows.size(1)) * sizeof(double);
    std::vector<std::int64_t> chosen;
    for (std::int64_t i = 0; i < rows.size(0); ++i) {
      ContentHash hash;
      hash.add(rows.data_ptr<double>() + i * rows.size(1), bytes);
      if ((hash.value() % kFold == 0) == held_out) chosen.push_back(i);
    }
    return at::tensor(chosen, at::kLong).to(last_tap(batch).device());
  }

  void collect(const at::Tensor& scores) {
    const at::Tensor values = scores.cpu().contiguous();
    const auto* first = values.data_ptr<double>();
    seen_.insert(seen_.end(), first, first + values.numel());
  }

  void set_scale() {
    const std::size_t members = std::size(kMembers);
    scale_ = at::empty({2, static_cast<std::int64_t>(members)}, at::kDouble);
    for (std::size_t member = 0; member < members; ++member) {
      std::vector<double> scores;
      for (std::size_t i = member; i < seen_.size(); i += members) scores.push_back(seen_[i]);
      std::sort(scores.begin(), scores.end());
      const double median = quantile(scores, 0.5);
      const double tail = quantile(scores, 0.95) - median;
      const auto column = static_cast<std::int64_t>(member);
      scale_[0][column] = median;
      scale_[1][column] = tail > 0 ? tail : 1.0;
    }
  }

  Panel trial_;
  Panel panel_;
  int pass_ = 0;
  std::int64_t kept_ = 0;     ///< images that the trial was fitted on
  std::vector<double> seen_;  ///< scores, the members' side by side
  at::Tensor scale_;          ///< [2, members]: median, and from there to the 95% quantile
};

}  // namespace

std::unique_ptr<Detector> make_combined(const DetectorOptions& options) {
  return std::make_unique<Combined>(options);
}

}  // namespace cubcal
