#pragma once

#include <optional>
#include <string>

/// The numbers of the paper's tables, in our units: shares of 1 and nats. They lie in
/// paper_values.csv: "Training-time results", "Post-hoc calibration comparison", "Diabetic
/// retinopathy detection results", "Mean uncertainty ...", "Post-hoc calibration for diabetic
/// retinopathy", "Results on the identification of skin lesions", "Post-hoc calibration on
/// HAM10000" and "Results on the Near-OOD test set".
namespace cubcal::results {

/// `post_hoc` is empty for the network as it is; `metric` is a name in JSON. Nothing where the
/// paper gives no number.
std::optional<double> paper_value(const std::string& experiment, const std::string& regime,
                                  const std::string& method, const std::string& post_hoc,
                                  const std::string& metric);

/// Of the table of OOD detectors, which the paper has for chest and its CUB-trained network.
std::optional<double> paper_detection(const std::string& experiment, const std::string& method,
                                      const std::string& detector, const std::string& metric);

}  // namespace cubcal::results
