#pragma once

#include <string>

namespace cubcal {

/// "train" for train and training, "val" for val, valid and validation, "test" for test and
/// testing, "ood", whatever their case; any other name stays as it is, but for blanks around it.
std::string canonical_split(const std::string& name);

/// Whether the name is one of those that canonical_split knows.
bool is_split_name(const std::string& name);

/// The order in which splits are listed: train, val, test, others, ood.
int split_rank(const std::string& split);

}  // namespace cubcal
