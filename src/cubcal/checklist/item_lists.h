#pragma once

#include <vector>

#include "cubcal/checklist/checklist.h"

namespace cubcal::checklist {

/// CLAIM, update of 2024: 44 items.
std::vector<Item> claim_items();
/// TRIPOD+AI of 2024: 27 items with their parts.
std::vector<Item> tripod_items();
/// The nine sections of a model card.
std::vector<Item> model_card_items();

}  // namespace cubcal::checklist
