#include "cubcal_nn/ranks/rank_group.h"

#include <ATen/ATen.h>

#include <cstring>

namespace cubcal {

bool RankGroup::any(bool mine) {
  const at::Tensor votes = at::full({1}, mine ? 1.0F : 0.0F);
  sum({votes});
  return votes.item<float>() > 0;
}

std::string RankGroup::text_of_first(const std::string& mine) {
  const at::Tensor length = at::full({1}, static_cast<std::int64_t>(mine.size()), at::kLong);
  share_first({length});
  std::string text = mine;
  text.resize(static_cast<std::size_t>(length.item<std::int64_t>()));
  if (text.empty()) return text;
  const at::Tensor bytes = at::empty({length.item<std::int64_t>()}, at::kByte);
  std::memcpy(bytes.data_ptr(), text.data(), text.size());
  share_first({bytes});
  std::memcpy(text.data(), bytes.data_ptr(), text.size());
  return text;
}

}  // namespace cubcal
