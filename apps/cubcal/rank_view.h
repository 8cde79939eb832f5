#pragma once

#include "cubcal_nn/experiment/work_observer.h"

namespace cubcal::app {

/// Of a rank that is not the first: it says and writes nothing, and passes Ctrl-C on.
class RankView : public WorkObserver {
 public:
  std::unique_ptr<TrainObserver> follow_training(const Recipe& recipe, const RunFolder& folder,
                                                 const std::string& indent) override;
};

}  // namespace cubcal::app
