#pragma once

#include <cstddef>
#include <vector>

#include "cubcal/io/logits_file.h"

namespace cubcal {

/// The samples of a file at `rows`, in this order.
LogitsFile take_samples(const LogitsFile& file, const std::vector<std::size_t>& rows);

/// For each sample of `file` the one of `other` that is the same image by `files`. Throws DataError
/// where a name occurs twice or is missing on one side.
std::vector<std::size_t> rows_by_file(const LogitsFile& file, const LogitsFile& other);

}  // namespace cubcal
