#include "cubcal_nn/batches/balance.h"

#include <ATen/ATen.h>

#include "cubcal/dataset/splitting.h"

namespace cubcal {

namespace {

std::vector<std::string> chosen(const std::vector<std::string>& all,
                                const std::vector<std::size_t>& places) {
  std::vector<std::string> result;
  for (const std::size_t place : places) result.push_back(all[place]);
  return result;
}

}  // namespace

ImageSplit balance_split(const ImageSplit& split, std::size_t classes, std::uint64_t seed) {
  const at::Tensor labels = split.labels.cpu().contiguous();
  const auto* label = labels.data_ptr<std::int64_t>();
  const std::vector<std::size_t> members =
      balanced_members({label, label + labels.numel()}, classes, seed);
  const at::Tensor index =
      at::tensor(std::vector<std::int64_t>(members.begin(), members.end()), at::kLong);

  ImageSplit result = split;
  result.images = split.images.index_select(0, index);
  result.labels = split.labels.index_select(0, index);
  if (split.groups.defined()) result.groups = split.groups.index_select(0, index);
  if (!split.files.empty()) result.files = chosen(split.files, members);
  for (std::vector<std::string>& column : result.metadata) column = chosen(column, members);
  return result;
}

}  // namespace cubcal
