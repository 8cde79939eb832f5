#include "cubcal/results/results_files.h"

#include "cubcal/io/atomic_file.h"
#include "cubcal/results/experiment_tables.h"

namespace cubcal::results {

void write_result_tables(const std::string& folder, const std::vector<ResultRecord>& records) {
  make_folders(folder);
  for (const auto& own : by_experiment(records)) {
    for (const ResultTable& table : experiment_tables(own)) {
      write_file_atomically(folder + "/" + table.key + ".csv", to_csv(table));
      write_file_atomically(folder + "/" + table.key + ".tex", to_latex(table));
    }
  }
}

void write_result_figures(const std::string& folder, const std::vector<ResultRecord>& records) {
  make_folders(folder);
  for (const auto& own : by_experiment(records)) {
    for (const ResultFigure& figure : experiment_figures(own)) {
      write_file_atomically(folder + "/" + figure.key + ".svg", figure.svg);
    }
  }
}

}  // namespace cubcal::results
