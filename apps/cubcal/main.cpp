#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <iostream>
#include <new>
#include <sstream>
#include <vector>

#include "all_options.h"
#include "commands.h"
#include "cubcal/core/error.h"
#include "cubcal/core/nearest_name.h"
#include "cubcal/core/parallel.h"
#include "cubcal/core/words.h"
#include "cubcal/io/mapped_input.h"
#include "cubcal/io/unfinished_file.h"
#include "cubcal/io/utf8.h"
#include "cubcal/version.h"
#include "error_sentence.h"
#include "exit_code.h"
#include "input_options.h"
#include "interrupt.h"
#include "option_checks.h"
#include "option_flags.h"
#ifdef CUBCAL_NN
#include "report_images.h"
#endif

namespace {

constexpr int kFailure = 1;
constexpr int kUsage = 2;

/// Ctrl-C where nothing watches for it: ends the process as it would have, without leaving half a
/// file behind.
void end_cleanly(int signal) {
  cubcal::remove_unfinished_files();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

int complain(const std::string& sentence, int exit_code) {
  std::cerr << "cubcal: " << cubcal::printable(cubcal::app::options_as_flags(sentence)) << '\n';
  return exit_code;
}

/// A mapped input that somebody cut: the page that was touched is no longer there.
void on_lost_page(int signal, siginfo_t* facts, void* /*context*/) {
  const char* name = cubcal::mapped_input_at(facts->si_addr);
  if (name == nullptr) {  // not of a file: ends as it would have
    std::signal(signal, SIG_DFL);
    if (facts->si_code <= 0) std::raise(signal);  // sent by a process: it does not come again
    return;
  }
  static std::atomic_flag told = ATOMIC_FLAG_INIT;
  while (told.test_and_set()) ::pause();  // another thread met it too, and ends the program
  cubcal::remove_unfinished_files();
  for (const char* part : {"cubcal: '", name, "' became shorter while it was being read\n"}) {
    if (::write(STDERR_FILENO, part, std::strlen(part)) < 0) break;
  }
  ::_exit(kFailure);
}

/// For when nothing is left to put a sentence together with, nor for what libraries do at the end.
[[noreturn]] void end_without_memory() {
  std::cerr << "cubcal: there is not enough memory for this input\n";
  std::cout.flush();
  std::_Exit(kFailure);
}

std::terminate_handler end_as_usual = nullptr;

/// An exception left a function of a library that promises to throw none.
void on_terminate() {
  cubcal::remove_unfinished_files();
  try {
    if (const std::exception_ptr error = std::current_exception()) std::rethrow_exception(error);
  } catch (const std::bad_alloc&) {
    end_without_memory();
  } catch (...) {
    end_as_usual();
  }
  end_as_usual();
}

/// What happens on signals that nothing in the program watches for.
void set_up_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    // What nohup or a shell's & had ignored stays ignored.
    if (std::signal(signal, end_cleanly) == SIG_IGN) std::signal(signal, SIG_IGN);
  }
  // A write beyond the limit on the size of files then fails, and is told, like any other.
  std::signal(SIGXFSZ, SIG_IGN);
  struct sigaction lost_page {};
  lost_page.sa_sigaction = on_lost_page;
  lost_page.sa_flags = SA_SIGINFO;
  ::sigaction(SIGBUS, &lost_page, nullptr);
}

/// The deepest subcommand the user named, for "see 'cubcal data split --help'".
std::string command_path(const CLI::App& app) {
  for (const CLI::App* sub : app.get_subcommands())
    return app.get_name() + " " + command_path(*sub);
  return app.get_name();
}

/// CLI11's messages can run over several lines.
std::string one_line(std::string text) {
  for (char& character : text) {
    if (character == '\n') character = ' ';
  }
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

/// The deepest command the user named.
const CLI::App& named_command(const CLI::App& app) {
  for (const CLI::App* sub : app.get_subcommands()) return named_command(*sub);
  return app;
}

std::string did_you_mean(const std::string& word, const std::vector<std::string>& names) {
  const std::string nearest = cubcal::nearest_name(word, names);
  return nearest.empty() ? "" : "; did you mean '" + nearest + "'?";
}

/// Of a value that is none of many, the nearest instead of all, which the help has.
std::string with_few_choices(const std::string& sentence) {
  constexpr std::size_t kFew = 6;
  const std::string before = " not in {";
  const std::size_t end = sentence.find(before);
  const std::size_t value = sentence.rfind(": ", end);
  if (end == std::string::npos || value == std::string::npos) return sentence;
  const std::size_t first = end + before.size();
  std::istringstream list(sentence.substr(first, sentence.find('}', first) - first));
  std::vector<std::string> names;
  for (std::string name; std::getline(list, name, ',');) names.push_back(name);
  if (names.size() <= kFew) return sentence;
  const std::string wanted = sentence.substr(value + 2, end - value - 2);
  std::string nearest;
  for (const std::string& name : cubcal::nearest_names(wanted, names, 3)) {
    nearest += (nearest.empty() ? "; near it are " : ", ") + name;
  }
  return sentence.substr(0, value) + ": '" + wanted + "' is none of the " +
         std::to_string(names.size()) + " there are" + nearest;
}

/// Why the program that has all commands did not take over; empty where it was not asked to.
std::string no_full_program;

/// The first word that is not a command where one is wanted, or no option of the command; else what
/// CLI11 says.
std::string usage_sentence(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& command = named_command(app);
  std::vector<std::string> commands;
  for (const CLI::App* sub : command.get_subcommands([](const CLI::App*) { return true; })) {
    commands.push_back(sub->get_name());
  }
  std::vector<std::string> options;
  for (const CLI::App* each = &command; each != nullptr; each = each->get_parent()) {
    for (const CLI::Option* option : each->get_options()) {
      for (const std::string& name : option->get_lnames()) options.push_back("--" + name);
    }
  }
  for (const std::string& word : app.remaining(true)) {
    if (cubcal::starts_with(word, "--")) {
      return "there is no option '" + word + "'" + did_you_mean(word, options);
    }
    if (!commands.empty() && !cubcal::starts_with(word, "-")) {
      if (&command == &app && !no_full_program.empty()) {
        std::string sentence = "the command '";
        sentence.append(word).append("' is not among those of this file, and ");
        return sentence.append(no_full_program);
      }
      return "there is no command '" + word + "'" + did_you_mean(word, commands);
    }
  }
  return with_few_choices(one_line(error.what()));
}

int run(CLI::App& app, int argc, char** argv) {
  int exit_code = EXIT_SUCCESS;
  try {
    app.parse(argc, argv);
  } catch (const cubcal::app::ExitCode& request) {
    exit_code = request.code();
  } catch (const CLI::Success& request) {  // --help, --version
    app.exit(request);
  } catch (const CLI::ParseError& error) {
    return complain(usage_sentence(app, error) + " (see '" + command_path(app) + " --help')",
                    kUsage);
  }
  cubcal::check_mapped_inputs();
  cubcal::app::tell_doubts();
  std::cout.flush();
  if (!std::cout) return complain("standard output could not be written", kFailure);
  return exit_code;
}

#ifdef CUBCAL_FULL_PROGRAM

/// Whether the command line asks for something that needs neither a network nor images.
bool is_numeric(int argc, char** argv) {
  const std::array<std::string, 14> commands = {
      "evaluate",   "audit",   "calibrate", "apply",    "compare", "conformal", "benefit",
      "prevalence", "monitor", "adaptive",  "boundary", "example", "merge",     "results"};
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--version") return true;
    if (word == "--threads") ++i;  // its value follows
    if (cubcal::starts_with(word, "-")) continue;
    return std::find(commands.begin(), commands.end(), word) != commands.end();
  }
  return false;
}

/// Becomes the program with all commands, which stands beside this one. Returns only where that
/// cannot be had.
void hand_over(char** argv) {
  // Threads that wait spin by default, which beside another busy program takes the processors from
  // the very threads they wait for. Read when the OpenMP library is loaded, so not later than here.
  ::setenv("OMP_WAIT_POLICY", "passive", 0);
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::string full = (self.parent_path() / CUBCAL_FULL_PROGRAM).string();
  if (!error) ::execv(full.c_str(), argv);
  no_full_program = "the program '" + full + "', which has the others, cannot be started: " +
                    (error ? error.message() : std::generic_category().message(errno));
}

#endif

/// Parses the command line and runs what it asks for. What it throws is told by main().
int run_program(int argc, char** argv) {
  std::vector<char*> words(argv, argv + argc + 1);
  static char help_option[] = "--help";
  if (argc > 1 && std::string(argv[1]) == "help") {  // 'help evaluate' is 'evaluate --help'
    words.erase(words.begin() + 1);
    words.insert(words.end() - 1, help_option);
    argv = words.data();
  }
#ifdef CUBCAL_FULL_PROGRAM
  if (!is_numeric(argc, argv)) hand_over(argv);
#endif
  CLI::App app{
      "cubcal: honest uncertainty for medical image classifiers.\n"
      "Reads Monte Carlo logits [passes, samples, classes] from any framework; measures,\n"
      "calibrates and compares them. A research tool, not a medical device.",
      "cubcal"};
  app.set_version_flag("--version", std::string("cubcal ") + cubcal::kVersion);
  app.require_subcommand(1);
  app.fallthrough();
  app.add_option_function<std::size_t>(
         "--threads", [](const std::size_t& threads) { cubcal::set_thread_count(threads); },
         "Threads to use (default: all processors); results do not depend on it")
      ->check(cubcal::app::within(std::size_t{1}, cubcal::kMostThreads))
      ->trigger_on_parse();
  app.footer(
      "Try it:\n"
      "  cubcal example --out demo\n"
      "  cubcal evaluate demo/val.npz\n"
      "  cubcal calibrate demo/val.npz -o demo/cal.json --test demo/test.npz");

#ifdef CUBCAL_NN
  cubcal::app::add_demo(app);
  cubcal::app::add_experiment(app);
  cubcal::app::add_train(app);
  cubcal::app::add_deploy(app);
  cubcal::app::add_logits(app);
  cubcal::app::add_predict(app);
  cubcal::app::add_serve(app);
  cubcal::app::add_dicom(app);
  cubcal::app::add_ood(app);
  cubcal::app::add_attach(app);
  cubcal::app::add_import(app);
  cubcal::app::add_bench(app);
#endif
  cubcal::app::add_evaluate(app);
  cubcal::app::add_audit(app);
  cubcal::app::add_calibrate(app);
  cubcal::app::add_apply(app);
  cubcal::app::add_compare(app);
  cubcal::app::add_conformal(app);
  cubcal::app::add_benefit(app);
  cubcal::app::add_prevalence(app);
  cubcal::app::add_monitor(app);
  cubcal::app::add_adaptive(app);
  cubcal::app::add_boundary(app);
  cubcal::app::add_example(app);
  cubcal::app::add_merge(app);
  cubcal::app::add_results(app);
#ifndef CUBCAL_FULL_PROGRAM
  cubcal::app::add_data(app);
#ifdef CUBCAL_NN
  cubcal::app::add_report(app, cubcal::app::drawn_test_images);
#else
  cubcal::app::add_report(app);
#endif
#endif
  cubcal::app::add_completion(app);
  cubcal::app::add_manual(app);

  cubcal::app::check_all_numbers(app);
  app.parse_complete_callback([&app] { cubcal::app::check_all_outputs(app); });
  set_up_signals();
  return run(app, argc, argv);
}

/// Says what went wrong in one sentence.
int run_and_tell(int argc, char** argv) {
  try {
    return run_program(argc, argv);
  } catch (const cubcal::ArgumentError& error) {
    return complain(error.what(), kUsage);
  } catch (const cubcal::Interrupted& error) {
    return complain(error.what(), cubcal::app::InterruptWatch::exit_code());
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    return complain(cubcal::app::error_sentence(error), kFailure);
  }
}

}  // namespace

int main(int argc, char** argv) {
  end_as_usual = std::set_terminate(on_terminate);
  try {
    return run_and_tell(argc, argv);
  } catch (const std::bad_alloc&) {
    end_without_memory();
  }
}
