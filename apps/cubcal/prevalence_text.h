#pragma once

#include <ostream>
#include <string>

#include "cubcal/prevalence/prevalence_json.h"
#include "table_output.h"

namespace cubcal::app {

/// What describes the files.
struct PrevalenceTitles {
  std::string labelled;
  std::string fresh;  ///< empty without
};

void print_prevalence(std::ostream& out, const PrevalenceTitles& titles,
                      const PrevalenceReport& result);
/// The metrics in their three columns; as CSV shares and metrics, one number in a row.
PaperTable prevalence_table(const PrevalenceReport& result);

}  // namespace cubcal::app
