#include "cubcal_nn/experiment/work_observer.h"

#include "cubcal_nn/infer/mc_engine.h"
#include "cubcal_nn/recipe/recipe_data.h"
#include "cubcal_nn/train/observer.h"

namespace cubcal {

ImageSet WorkObserver::read_images(const DataOptions& options) { return load_data(options); }

McOutput WorkObserver::run_passes(McEngine& engine, const at::Tensor& images,
                                  const McOptions& options, const std::string& /*title*/) {
  return engine.run(images, options);
}

std::unique_ptr<TrainObserver> WorkObserver::follow_training(const Recipe& /*recipe*/,
                                                             const RunFolder& /*folder*/,
                                                             const std::string& /*indent*/) {
  return std::make_unique<TrainObserver>();
}

}  // namespace cubcal
