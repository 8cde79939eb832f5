#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "cubcal/core/error.h"
#include "cubcal/io/csv.h"
#include "cubcal/io/text_encoding.h"

// What can be read must be the same after writing and reading it again, and any bytes are text of
// some encoding or a DataError.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  cubcal::CsvTable table;
  try {
    const std::string decoded =
        cubcal::decode_text(text, static_cast<cubcal::TextEncoding>(size % 5), "input").text;
    cubcal::CsvOptions options;
    options.separator = cubcal::recognise_separator(decoded);
    options.name_blank_columns = true;
    cubcal::parse_csv(decoded, "input", options);
  } catch (const cubcal::DataError&) {
  }
  try {
    table = cubcal::parse_csv(text, "input");
  } catch (const cubcal::Error&) {
    return 0;
  }
  std::string written = cubcal::csv_row(table.header);
  for (const auto& row : table.rows) written += cubcal::csv_row(row);
  const cubcal::CsvTable back = cubcal::parse_csv(written, "written");
  if (back.header != table.header || back.rows != table.rows) std::abort();
  return 0;
}
