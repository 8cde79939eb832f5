#include "results_files.h"

#include "cubcal/io/atomic_file.h"
#include "cubcal/results/experiment_tables.h"
#include "cubcal/results/price_of_avu.h"

namespace cubcal::app {

void write_result_tables(const std::string& folder,
                         const std::vector<results::ResultRecord>& records) {
  make_folders(folder);
  for (const auto& own : results::by_experiment(records)) {
    for (const results::ResultTable& table : results::experiment_tables(own)) {
      write_file_atomically(folder + "/" + table.key + ".csv", results::to_csv(table));
      write_file_atomically(folder + "/" + table.key + ".tex", results::to_latex(table));
    }
  }
}

void write_result_figures(const std::string& folder,
                          const std::vector<results::ResultRecord>& records) {
  make_folders(folder);
  for (const auto& own : results::by_experiment(records)) {
    if (!results::has_price_figure(results::Grid(own))) continue;
    write_file_atomically(folder + "/" + own.front().experiment + "-price.svg",
                          results::price_figure(own));
  }
}

}  // namespace cubcal::app
