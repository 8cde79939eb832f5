#pragma once

#include <memory>

#include "cubcal/io/byte_source.h"
#include "cubcal/weights/state_dict.h"

namespace cubcal {

/// Reads a PyTorch state dict from either of the two containers torch.save has written: the zip
/// archive (`<name>/data.pkl` and one member per storage, since PyTorch 1.6) and the sequence of
/// pickles before it. Tensors that share a storage and views that are not contiguous come out as
/// arrays of their own, in C order.
StateDict read_torch_state_dict(std::shared_ptr<const ByteSource> source,
                                const StateDictOptions& options = {});

}  // namespace cubcal
