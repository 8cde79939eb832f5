#pragma once

namespace cubcal {

/// What to do with the answer for one image.
enum class Decision {
  kAccept,
  kRefer,      ///< within scope, but too uncertain to be answered without a look
  kOutOfScope  ///< unlike the training images: the answer means nothing
};

/// "accept", "refer", "out-of-scope".
const char* decision_name(Decision decision);

}  // namespace cubcal
