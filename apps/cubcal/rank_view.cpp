#include "rank_view.h"

#include <ostream>

#include "cubcal_nn/train/observer.h"
#include "interrupt.h"
#include "read_images.h"
#include "recipe_setup.h"

namespace cubcal::app {

namespace {

class SilentTraining : public TrainObserver {
 public:
  bool stop_requested() override { return InterruptWatch::interrupted(); }

 private:
  InterruptWatch watch_;
};

}  // namespace

void RankView::computing_starts(const Recipe& recipe, const std::string&) {
  std::ostream nowhere(nullptr);
  set_up_computing(recipe, /*threads_given=*/true, "", nowhere);
}

ImageSet RankView::read_images(const DataOptions& options) {
  std::ostream nowhere(nullptr);
  return app::read_images(options, nowhere);
}

std::unique_ptr<TrainObserver> RankView::follow_training(const Recipe&, const RunFolder&,
                                                         const std::string&) {
  return std::make_unique<SilentTraining>();
}

}  // namespace cubcal::app
