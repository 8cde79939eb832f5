#include <iostream>

#include "cubcal_nn/infer/ensemble_model.h"
#include "import_command.h"

namespace cubcal::app {

void import_ensemble(const ImportCommand& command) {
  check_target(command);
  const EnsembleModel ensemble = ensemble_of(command.files, c10::Device(c10::DeviceType::CPU));
  write_import(command, ensemble.description, *ensemble.network);
  std::cout << "wrote " << command.output << ": an ensemble of " << command.files.size() << " "
            << ensemble.description.network << ", whose passes they are, in the order given\n";
  if (!ensemble.same_data) {
    std::cout << "its members were not all trained on the same images: those that one of them "
                 "learned from must not be among the images it is tested on\n";
  }
}

}  // namespace cubcal::app
