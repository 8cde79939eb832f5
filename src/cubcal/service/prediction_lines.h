#pragma once

#include <cstdint>
#include <fstream>
#include <iosfwd>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "cubcal/answer.h"

/// Predictions of image files as lines of JSON, a log that is gone on with.
namespace cubcal {

/// The line of one image, answered or not: `head` is what all lines have, `time` may be empty.
std::string prediction_line(const FileAnswer& file, const ModelFacts& model,
                            const nlohmann::ordered_json& head, bool adaptive,
                            const std::string& time);

/// What all lines of a run have.
nlohmann::ordered_json line_head(const ModelFacts& model, std::uint64_t seed);

/// A log of predictions, a JSON object to a line, to which lines are added as images are answered.
/// A log that is there is gone on with: its images that this very model answered with this seed
/// need no answer again.
class PredictionLines {
 public:
  /// A last line that was cut off is removed. Where `out` is given the lines go there, and `path`
  /// is not looked at. Throws DataError where the file is no such log, or one of another model.
  PredictionLines(const std::string& path, const ModelFacts& model, std::uint64_t seed,
                  bool adaptive, bool with_time, std::ostream* out = nullptr);

  bool has(const std::string& image) const { return answered_.count(image) > 0; }
  /// Writes them out before it returns.
  void add(const std::vector<FileAnswer>& files);

 private:
  void read_log();

  std::string path_;
  const ModelFacts& model_;
  nlohmann::ordered_json head_;  ///< what all lines have
  bool adaptive_;
  bool with_time_;
  std::ostream* out_;
  std::set<std::string> answered_;
  std::ofstream file_;
};

}  // namespace cubcal
