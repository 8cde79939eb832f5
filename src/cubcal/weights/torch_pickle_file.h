#pragma once

#include <memory>

#include "cubcal/io/byte_source.h"
#include "cubcal/weights/state_dict.h"

namespace cubcal {

/// Reads a PyTorch state dict from what torch.save wrote (see TorchFile).
StateDict read_torch_state_dict(std::shared_ptr<const ByteSource> source,
                                const StateDictOptions& options = {});

}  // namespace cubcal
