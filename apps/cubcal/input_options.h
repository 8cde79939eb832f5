#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "cubcal/io/logits_file.h"

namespace cubcal::app {

/// How the arrays of a logits file are to be understood, in every command that reads one.
struct InputOptions {
  LogitsReading reading;
  bool probabilities = false;
};

/// Adds --probabilities, --binary, --logits-key, --labels-key and --ignore-label.
void add_input_options(CLI::App& command, InputOptions& options);

/// Adds --labels, where all files that are read have the same samples.
void add_labels_option(CLI::App& command, InputOptions& options);

/// Logits [S,N,K] of a file, or of standard input for "-". Probabilities are refused, or taken
/// where the options say so; what had to be rescaled is told on standard error. Doubts about the
/// file are kept for tell_doubts.
LogitsFile read_input(const std::string& path, const InputOptions& options);

/// The same without its labels, which are none of the classes.
LogitsFile read_outliers(const std::string& path, const InputOptions& options);

/// Warns of what is doubtful in the files that were read (see doubts_about). At the end, since what
/// is refused is told in one sentence.
void tell_doubts();

}  // namespace cubcal::app
