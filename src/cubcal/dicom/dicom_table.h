#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cubcal/dicom/dicom_dataset.h"

namespace cubcal {

/// A look-up table of a DICOM file (PS3.3, C.11.1.1 and C.7.6.3.1.5).
struct DicomTable {
  std::int32_t first = 0;              ///< the stored value that the first entry is for
  std::vector<std::uint16_t> entries;  ///< at least one; values beyond either end take the last
  unsigned bits = 16;                  ///< of an entry, as the file says

  std::uint16_t at(std::int32_t value) const;
};

/// None where the file has no such table. Throws DataError with the reason where it is damaged.
std::optional<DicomTable> read_dicom_table(const DicomDataset& dataset, DicomTag descriptor,
                                           DicomTag data, bool is_signed);

}  // namespace cubcal
