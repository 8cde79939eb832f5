#pragma once

#include <memory>
#include <string>

#include "cubcal/record/run_folder.h"
#include "cubcal_nn/infer/mc_engine.h"
#include "cubcal_nn/recipe/recipe.h"
#include "cubcal_nn/train/observer.h"

namespace cubcal {

/// Follows work that takes long. The library reports and never prints; what to do with the reports
/// is the caller's. The defaults work in silence.
class WorkObserver {
 public:
  virtual ~WorkObserver() = default;
  /// A line that says how far the work is.
  virtual void line(const std::string&) {}
  /// A sentence about something that may be wrong.
  virtual void warning(const std::string&) {}
  /// Before networks of such a recipe are first run.
  virtual void computing_starts(const Recipe&) {}
  virtual ImageSet read_images(const DataOptions& options) { return load_data(options); }
  /// Runs the engine; `title` says what for.
  virtual McOutput run_passes(McEngine& engine, const at::Tensor& images, const McOptions& options,
                              const std::string& /*title*/) {
    return engine.run(images, options);
  }
  /// Follows a training by the recipe that is about to start or go on in a folder; `indent` stands
  /// before every line.
  virtual std::unique_ptr<TrainObserver> follow_training(const Recipe& /*recipe*/,
                                                         const RunFolder& /*folder*/,
                                                         const std::string& /*indent*/) {
    return std::make_unique<TrainObserver>();
  }
};

}  // namespace cubcal
