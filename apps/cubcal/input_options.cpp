#include "input_options.h"

#include <iostream>
#include <iterator>
#include <memory>

#include "cubcal/core/error.h"
#include "cubcal/evaluation/doubts.h"
#include "cubcal/evaluation/given_numbers.h"
#include "cubcal/io/utf8.h"

namespace cubcal::app {

void add_input_options(CLI::App& command, InputOptions& options) {
  command.add_flag("--probabilities", options.probabilities,
                   "The files hold probabilities, not logits: they count as they are");
  command.add_flag("--binary", options.reading.binary,
                   "Two classes told apart by one number: logits [N] or [S,N] of class 1");
  command.add_option("--logits-key", options.reading.logits_key, "Name of the array of logits")
      ->capture_default_str();
  command.add_option("--labels-key", options.reading.labels_key, "Name of the array of labels")
      ->capture_default_str();
  command.add_option("--ignore-label", options.reading.ignored_label,
                     "Leave out samples of this label, such as -1");
}

void add_labels_option(CLI::App& command, InputOptions& options) {
  command.add_option("--labels", options.reading.labels_file,
                     "Take the labels from this file: .npy, .npz, .pt or CSV");
}

namespace {

/// Of the files that were read.
std::vector<std::string>& doubts() {
  static std::vector<std::string> all;
  return all;
}

/// Standard input is read whole: an archive is read from its end.
LogitsFile read_named(const std::string& path, const LogitsReading& reading) {
  if (path != "-") return read_logits_file(path, reading);
  const std::string bytes{std::istreambuf_iterator<char>(std::cin), {}};
  if (bytes.empty()) throw DataError("standard input is empty, but logits were to come from it");
  return read_logits_file(std::make_shared<MemorySource>("standard input", bytes), reading);
}

}  // namespace

LogitsFile read_input(const std::string& path, const InputOptions& options) {
  LogitsFile file = read_named(path, options.reading);
  const std::size_t rescaled = take_numbers(file, {options.probabilities, options.reading.binary});
  if (rescaled > 0) {
    std::cerr << "cubcal: " << rescaled << " rows of '" << file.path
              << "' do not sum to 1; each was divided by its sum\n";
  }
  for (std::string& doubt : doubts_about(file)) doubts().push_back(std::move(doubt));
  return file;
}

void tell_doubts() {
  for (const std::string& doubt : doubts()) {
    std::cerr << "cubcal: warning: " << printable(doubt) << '\n';
  }
}

LogitsFile read_outliers(const std::string& path, const InputOptions& options) {
  InputOptions unlabelled = options;
  unlabelled.reading.with_labels = false;
  return read_input(path, unlabelled);
}

}  // namespace cubcal::app
