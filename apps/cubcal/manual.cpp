#include <algorithm>
#include <cctype>
#include <iostream>
#include <memory>
#include <sstream>

#include "command_tree.h"
#include "commands.h"
#include "cubcal/io/atomic_file.h"
#include "cubcal/version.h"

namespace cubcal::app {

namespace {

/// Text as groff takes it: no character of its own at the beginning of a line or within.
std::string roff(const std::string& text) {
  std::string escaped;
  bool begins = true;
  for (const char letter : text) {
    if (begins && (letter == '.' || letter == '\'')) escaped += "\\&";
    if (letter == '\\') {
      escaped += "\\e";
    } else if (letter == '-') {
      escaped += "\\-";
    } else {
      escaped += letter;
    }
    begins = letter == '\n';
  }
  return escaped;
}

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::toupper(letter)); });
  return text;
}

/// "cubcal-data-split" of "data split".
std::string page_name(const std::string& words) {
  std::string name = words.empty() ? "cubcal" : "cubcal " + words;
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

/// NAME and the line above it.
std::string page_begin(const std::string& words, const std::string& description) {
  const std::string name = page_name(words);
  return ".TH " + upper(name) + " 1 \"\" \"cubcal " + kVersion +
         "\" \"User Commands\"\n.SH NAME\n" + roff(name) + " \\- " +
         roff(description.substr(0, description.find('\n'))) + "\n";
}

/// An option with what it takes: "-o, --output TEXT".
std::string option_title(const CLI::Option& option) {
  std::string title;
  for (const std::string& flag : option_flags(option)) {
    title += (title.empty() ? "\\fB" : ", \\fB") + roff(flag) + "\\fR";
  }
  if (title.empty()) return "\\fI" + roff(option.get_name()) + "\\fR";
  const std::vector<std::string> values = option_values(option);
  if (!values.empty()) {
    std::string listed;
    for (const std::string& value : values) listed += (listed.empty() ? "" : "|\\:") + roff(value);
    return title + " " + listed;
  }
  const std::string type = option.get_type_name();
  return option.get_expected_max() > 0
             ? title + " \\fI" + roff(type.substr(0, type.find(':'))) + "\\fR"
             : title;
}

std::string options_text(const CLI::App& command) {
  std::string text;
  for (const CLI::Option* option : command.get_options()) {
    text += ".TP\n" + option_title(*option) + "\n" + roff(option->get_description());
    if (option->get_required()) text += " (needed)";
    if (!option->get_default_str().empty()) text += " [" + roff(option->get_default_str()) + "]";
    text += "\n";
  }
  return text;
}

/// What stands below the options in help, its lines as they are.
std::string footer_text(const CLI::App& command) {
  const std::string footer = command.get_footer();
  if (footer.empty()) return "";
  const std::size_t example = footer.find("Example:\n");
  std::string text;
  if (example != 0) text += ".SH NOTES\n.nf\n" + roff(footer.substr(0, example)) + "\n.fi\n";
  if (example == std::string::npos) return text;
  return text + ".SH EXAMPLES\n.nf\n" + roff(footer.substr(example + 9)) + "\n.fi\n";
}

std::string command_page(const NamedCommand& command) {
  const CLI::App& app = *command.app;
  std::string synopsis = "\\fBcubcal " + roff(command.words) + "\\fR [\\fIOPTIONS\\fR]";
  for (const CLI::Option* option : app.get_options()) {
    if (!option_flags(*option).empty()) continue;
    const std::string name =
        "\\fI" + roff(option->get_name()) + "\\fR" + (option->get_expected_max() > 1 ? "..." : "");
    synopsis += option->get_required() ? " " + name : " [" + name + "]";
  }
  return page_begin(command.words, app.get_description()) + ".SH SYNOPSIS\n" + synopsis + "\n" +
         ".SH DESCRIPTION\n" + roff(app.get_description()) + ".\n.SH OPTIONS\n" +
         options_text(app) + footer_text(app) + ".SH SEE ALSO\n.BR cubcal (1)\n";
}

std::string overview_page(const CLI::App& app, const std::vector<NamedCommand>& commands) {
  const std::string description = "honest uncertainty for medical image classifiers";
  std::string page = page_begin("", description) +
                     ".SH SYNOPSIS\n\\fBcubcal\\fR \\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n" +
                     ".SH DESCRIPTION\n" + roff(app.get_description()) + "\n.SH COMMANDS\n";
  for (const NamedCommand& command : commands) {
    page += ".TP\n.BR " + roff(page_name(command.words)) + " (1)\n" +
            roff(command.app->get_description()) + "\n";
  }
  return page + ".SH OPTIONS\n" + options_text(app) +
         ".SH EXIT STATUS\n0 where all went well, 1 where something could not be done, 2 where the "
         "command line asks for what does not exist, 128 and the signal where one ended it.\n" +
         footer_text(app);
}

void write_manual(const CLI::App& app, const std::string& folder) {
  make_folders(folder);
  const std::vector<NamedCommand> commands = leaf_commands(app);
  write_file_atomically(folder + "/cubcal.1", overview_page(app, commands));
  for (const NamedCommand& command : commands) {
    write_file_atomically(folder + "/" + page_name(command.words) + ".1", command_page(command));
  }
  std::cout << "wrote " << commands.size() + 1 << " pages to " << folder << '\n';
}

}  // namespace

void add_manual(CLI::App& app) {
  auto folder = std::make_shared<std::string>();
  CLI::App* command =
      app.add_subcommand("manual", "Write the manual pages of all commands to a folder");
  command->add_option("-o,--output", *folder, "The folder, made where it is not there")->required();
  command->footer("Example:\n  cubcal manual -o man && man -l man/cubcal-evaluate.1");
  command->callback([folder, &app] { write_manual(app, *folder); });
}

}  // namespace cubcal::app
