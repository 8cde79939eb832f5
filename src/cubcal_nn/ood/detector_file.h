#pragma once

#include <c10/core/Device.h>

#include <map>
#include <memory>
#include <string>

#include "cubcal_nn/ood/detector.h"

/// A fitted detector as a safetensors file: its tensors, and in the metadata its name, the options
/// it was fitted with and facts of the caller. Reading it runs no code.
namespace cubcal {

struct DetectorFile {
  std::unique_ptr<Detector> detector;
  std::map<std::string, std::string> facts;  ///< as they were given
  NamedTensors extras;                       ///< as they were given, on the CPU
};

/// `extras` are tensors of the caller's, kept beside the detector's own.
void save_detector(const std::string& path, const Detector& detector,
                   const std::map<std::string, std::string>& facts = {},
                   const NamedTensors& extras = {});

/// Throws IoError where the file cannot be read and DataError naming it where it is not a detector
/// of this program.
DetectorFile load_detector(const std::string& path,
                           c10::Device device = c10::Device(c10::DeviceType::CPU));

}  // namespace cubcal
