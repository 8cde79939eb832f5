#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "cubcal/classifier.h"
#include "cubcal/service/answer_json.h"
#include "cubcal/shard/shard.h"

namespace cubcal::app {

struct ShardPrediction {
  Shard shard;
  std::vector<std::string> images;  ///< words of the command line
  std::string output;               ///< name of the lines, from which that of the shard follows
  PredictionSettings settings;
};

/// Answers the shard's images, a few at a time, and puts its file in place at the end. One that is
/// there already is left as it is. Images that cannot be read are rows that say why. `paths` is
/// where '-' names images.
void predict_shard(Classifier& classifier, const ShardPrediction& prediction, std::istream& paths);

}  // namespace cubcal::app
