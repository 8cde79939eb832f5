#pragma once

#include <exception>
#include <memory>
#include <string>

namespace at {
class Tensor;
}

namespace cubcal {

struct DataOptions;
struct ImageSet;
class McEngine;
struct McOptions;
struct McOutput;
struct Recipe;
struct RunFolder;
class TrainObserver;

/// Follows work that takes long. The library reports and never prints; what to do with the reports
/// is the caller's. The defaults work in silence.
class WorkObserver {
 public:
  virtual ~WorkObserver() = default;
  /// A line that says how far the work is.
  virtual void line(const std::string&) {}
  /// A sentence about something that may be wrong.
  virtual void warning(const std::string&) {}
  /// A run of several ends with this error, and the work goes on with others.
  virtual void run_failed(const std::string& /*name*/, const std::exception&) {}
  /// Before networks of such a recipe are first run; `resumed` is the folder of a run that may go
  /// on, empty for none.
  virtual void computing_starts(const Recipe&, const std::string& /*resumed*/) {}
  virtual ImageSet read_images(const DataOptions& options);
  /// Runs the engine; `title` says what for.
  virtual McOutput run_passes(McEngine& engine, const at::Tensor& images, const McOptions& options,
                              const std::string& title);
  /// Follows a training by the recipe that is about to start or go on in a folder; `indent` stands
  /// before every line.
  virtual std::unique_ptr<TrainObserver> follow_training(const Recipe& recipe,
                                                         const RunFolder& folder,
                                                         const std::string& indent);
};

}  // namespace cubcal
