#include "results_files.h"

#include "cubcal/io/atomic_file.h"
#include "cubcal/results/experiment_tables.h"

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
    for (const results::ResultFigure& figure : results::experiment_figures(own)) {
      write_file_atomically(folder + "/" + figure.key + ".svg", figure.svg);
    }
  }
}

}  // namespace cubcal::app
