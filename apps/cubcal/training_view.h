#pragma once

#include <cstdint>
#include <fstream>
#include <memory>
#include <string>

#include "cubcal_nn/train/observer.h"
#include "progress_bar.h"

namespace cubcal::app {

/// Shows a run as it goes: a line per stage and epoch on stdout, a bar on stderr where that is a
/// terminal, warnings on stderr; all but the bar is added to a log, with the time. Ctrl-C asks the
/// run to stop.
class TrainingView : public TrainObserver {
 public:
  /// `indent` stands before every line on stdout. Throws IoError where the log cannot be written.
  TrainingView(std::string indent, const std::string& log);

  void run_started(const RunReport& report) override;
  void stage_started(const StageReport& report) override;
  void step_done(const StepReport& report) override;
  void epoch_done(const EpochReport& report) override;
  void warning(const std::string& sentence) override;
  /// To the log: who called the run tells the user.
  void run_ended(const std::exception& error) override;
  bool stop_requested() override;

 private:
  void tell(const std::string& line);
  /// A line that cannot be written does not end the run: it is told once, and written with the
  /// next.
  void add_to_log(const std::string& line);
  std::string time_left();

  std::string indent_;
  std::string log_path_;
  std::ofstream log_;
  bool is_log_short_ = false;
  std::int64_t epochs_done_ = 0;  ///< of the stage, since it started or went on
  double seconds_ = 0;            ///< that they took
  StageReport stage_;
  std::unique_ptr<ProgressBar> bar_;
};

}  // namespace cubcal::app
