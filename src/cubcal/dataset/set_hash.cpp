#include "cubcal/dataset/set_hash.h"

namespace cubcal {

SetHash::SetHash(const std::vector<std::string>& class_names) {
  for (const std::string& name : class_names) hash_.add(name);
}

void SetHash::add_array(const std::vector<std::size_t>& shape, const void* bytes,
                        std::size_t count) {
  for (const std::size_t extent : shape) hash_.add(std::to_string(extent));
  hash_.add(bytes, count);
}

}  // namespace cubcal
