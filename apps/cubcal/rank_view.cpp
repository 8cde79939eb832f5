#include "rank_view.h"

#include "interrupt.h"

namespace cubcal::app {

namespace {

class SilentTraining : public TrainObserver {
 public:
  bool stop_requested() override { return InterruptWatch::interrupted(); }

 private:
  InterruptWatch watch_;
};

}  // namespace

std::unique_ptr<TrainObserver> RankView::follow_training(const Recipe&, const RunFolder&,
                                                         const std::string&) {
  return std::make_unique<SilentTraining>();
}

}  // namespace cubcal::app
