#include "cubcal/dicom/dicom_table.h"

#include <algorithm>

#include "cubcal/core/error.h"

namespace cubcal {

std::uint16_t DicomTable::at(std::int32_t value) const {
  const auto last = static_cast<std::int32_t>(entries.size()) - 1;
  return entries[static_cast<std::size_t>(std::clamp(value - first, 0, last))];
}

std::optional<DicomTable> read_dicom_table(const DicomDataset& dataset, DicomTag descriptor,
                                           DicomTag data, bool is_signed) {
  const std::vector<std::uint16_t> head = dataset.words(descriptor);
  if (head.empty()) return std::nullopt;
  if (head.size() < 3) {
    throw DataError("the table descriptor " + dicom_tag_text(descriptor) + " is damaged");
  }
  const std::size_t size = head[0] == 0 ? 65536 : head[0];
  DicomTable table;
  table.first = is_signed ? std::int32_t{static_cast<std::int16_t>(head[1])} : head[1];
  table.bits = head[2];
  const std::vector<std::uint16_t> words = dataset.words(data);
  if (words.size() >= size) {
    table.entries.assign(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(size));
  } else if (table.bits == 8 && 2 * words.size() >= size) {  // two entries in a word, low one first
    for (std::size_t i = 0; i < size; ++i) {
      const unsigned word = words[i / 2];
      table.entries.push_back(static_cast<std::uint16_t>(i % 2 == 0 ? word & 0xffU : word >> 8));
    }
  } else {
    throw DataError("the table " + dicom_tag_text(data) + " has fewer than " +
                    std::to_string(size) + " entries");
  }
  return table;
}

}  // namespace cubcal
