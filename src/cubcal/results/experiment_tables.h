#pragma once

#include <string>
#include <vector>

#include "cubcal/results/result_record.h"
#include "cubcal/results/result_table.h"

namespace cubcal::results {

/// The tables of one experiment as the paper lays them out, and beyond them every method's price
/// and every method's OOD rows. All records are of that experiment; at least one.
std::vector<ResultTable> experiment_tables(const std::vector<ResultRecord>& records);

/// A figure of an experiment.
struct ResultFigure {
  std::string key;    ///< its file's name without .svg
  std::string title;  ///< what it shows, plain text
  std::string svg;
};

/// What a better AvU costs and, where records tell, the paper's figures (see paper_figures.h).
std::vector<ResultFigure> experiment_figures(const std::vector<ResultRecord>& records);

/// All experiments as a document, `command` being what made it. Where a folder of figures is named,
/// as seen from the document, each experiment shows its FOLDER/<key>.svg.
std::string results_markdown(const std::vector<ResultRecord>& records, const std::string& command,
                             const std::string& figures = "");

}  // namespace cubcal::results
