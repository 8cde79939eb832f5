#pragma once

#include <memory>
#include <string>

#include "cubcal/train/observer.h"
#include "progress_bar.h"

namespace cubcal::app {

/// Shows a run as it goes: a line per stage and epoch on stdout, a bar on stderr where that is a
/// terminal, warnings on stderr. Ctrl-C asks the run to stop.
class TrainingView : public TrainObserver {
 public:
  /// `indent` stands before every line.
  explicit TrainingView(std::string indent = "") : indent_(std::move(indent)) {}

  void run_started(const RunReport& report) override;
  void stage_started(const StageReport& report) override;
  void step_done(const StepReport& report) override;
  void epoch_done(const EpochReport& report) override;
  void warning(const std::string& sentence) override;
  bool stop_requested() override;

 private:
  std::string indent_;
  StageReport stage_;
  std::unique_ptr<ProgressBar> bar_;
};

}  // namespace cubcal::app
