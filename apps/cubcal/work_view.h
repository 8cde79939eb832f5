#pragma once

#include <iostream>

#include "cubcal_nn/experiment/work_observer.h"

namespace cubcal::app {

/// Shows work as it goes: lines on stdout, or where the result goes there on another stream,
/// warnings on stderr, a bar there where that is a terminal; Ctrl-C stops it.
class WorkView : public WorkObserver {
 public:
  /// `threads_given`: whether the command line says how many, so that no recipe does.
  explicit WorkView(bool threads_given = false, std::ostream& lines = std::cout)
      : threads_given_(threads_given), lines_(lines) {}

  void line(const std::string& text) override;
  void warning(const std::string& sentence) override;
  void run_failed(const std::string& name, const std::exception& error) override;
  void computing_starts(const Recipe& recipe, const std::string& resumed) override;
  ImageSet read_images(const DataOptions& options) override;
  McOutput run_passes(McEngine& engine, const at::Tensor& images, const McOptions& options,
                      const std::string& title) override;
  std::unique_ptr<TrainObserver> follow_training(const Recipe& recipe, const RunFolder& folder,
                                                 const std::string& indent) override;

 private:
  bool threads_given_;
  std::ostream& lines_;
};

}  // namespace cubcal::app
