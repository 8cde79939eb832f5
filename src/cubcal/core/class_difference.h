#pragma once

#include <optional>
#include <string>
#include <vector>

namespace cubcal {

/// Where two lists of classes differ, which their order alone can make them do: "7 classes (akiec,
/// bcc, bkl, …) against 3 (healthy, pneumonia, other)", or "class 2 is 'bkl' against 'other'" where
/// they are equally long. Nothing where they are equal.
std::optional<std::string> class_difference(const std::vector<std::string>& first,
                                            const std::vector<std::string>& second);

}  // namespace cubcal
