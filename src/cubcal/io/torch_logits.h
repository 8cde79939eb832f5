#pragma once

#include <memory>
#include <string>

#include "cubcal/io/byte_source.h"
#include "cubcal/io/labels.h"
#include "cubcal/io/logits_file.h"

namespace cubcal {

/// Logits as torch.save writes them: a tensor alone, or a dictionary that has what an .npz file
/// has under the same names, arrays as tensors, text as lists of strings. No code is run.
LogitsFile read_torch_logits(std::shared_ptr<const ByteSource> source,
                             const LogitsReading& reading);

/// Labels of such a file: the tensor alone, or the entry `key`.
RawLabels read_torch_labels(std::shared_ptr<const ByteSource> source, const std::string& key,
                            std::size_t length);

}  // namespace cubcal
