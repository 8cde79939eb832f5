#pragma once

#include "cubcal_nn/experiment/work_observer.h"

namespace cubcal::app {

/// Of a rank that is not the first: it says and writes nothing, and passes Ctrl-C on.
class RankView : public WorkObserver {
 public:
  void computing_starts(const Recipe& recipe, const std::string& resumed) override;
  ImageSet read_images(const DataOptions& options) override;
  std::unique_ptr<TrainObserver> follow_training(const Recipe& recipe, const RunFolder& folder,
                                                 const std::string& indent) override;
};

}  // namespace cubcal::app
