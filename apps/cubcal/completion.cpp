#include <iostream>
#include <memory>
#include <string_view>

#include "command_tree.h"
#include "commands.h"

namespace cubcal::app {

namespace {

std::string one_text(std::initializer_list<std::string_view> parts) {
  std::string text;
  for (const std::string_view part : parts) text += part;
  return text;
}

std::string in_a_row(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += word + " ";
  return text;
}

/// Every flag of a command, separated by spaces.
std::string flags_of(const CLI::App& command) {
  std::string flags;
  for (const CLI::Option* option : command.get_options()) flags += in_a_row(option_flags(*option));
  return flags;
}

std::string command_names(const CLI::App& app) {
  std::string names;
  for (const CLI::App* command : app.get_subcommands({})) names += command->get_name() + " ";
  return names;
}

/// The words that positionals of a command take.
std::string positional_values(const CLI::App& command) {
  std::string values;
  for (const CLI::Option* option : command.get_options()) {
    if (option_flags(*option).empty()) values += in_a_row(option_values(*option));
  }
  return values;
}

/// "calibrate --method"|"calibrate -m") values="..." ;; for every option that takes one of a list.
std::string bash_values(const NamedCommand& command) {
  std::string cases;
  for (const CLI::Option* option : command.app->get_options()) {
    const std::string values = in_a_row(option_values(*option));
    if (values.empty()) continue;
    std::string patterns;
    for (const std::string& flag : option_flags(*option)) {
      patterns += one_text({patterns.empty() ? "\"" : "|\"", command.words, " ", flag, "\""});
    }
    if (!patterns.empty()) {
      cases += one_text({"    ", patterns, ") values=\"", values, "\" ;;\n"});
    }
  }
  return cases;
}

/// `function` is what the function is called.
std::string bash(const CLI::App& app, const std::string& function = "_cubcal") {
  std::string script =
      function +
      "() {\n"
      "  local word=\"${COMP_WORDS[COMP_CWORD]}\" previous=\"${COMP_WORDS[COMP_CWORD-1]}\"\n"
      "  local command=\"${COMP_WORDS[1]}\" flags=\"" +
      flags_of(app) +
      "\" parts=\"\" values=\"\" words=\"\"\n"
      "  if [ \"$word\" = \"=\" ]; then word=\"\"; elif [ \"$previous\" = \"=\" ]; then "
      "previous=\"${COMP_WORDS[COMP_CWORD-2]}\"; fi\n"
      "  case \"$command\" in\n";
  for (const CLI::App* command : app.get_subcommands({})) {
    const std::string parts = command_names(*command);
    if (parts.empty()) continue;
    script += "    " + command->get_name() + ") flags=\"" + flags_of(*command) + "\" parts=\"" +
              parts + "\" command=\"$command ${COMP_WORDS[2]}\" ;;\n";
  }
  script +=
      "  esac\n"
      "  case \"$command\" in\n";
  const std::vector<NamedCommand> commands = leaf_commands(app);
  for (const NamedCommand& command : commands) {
    script += "    \"" + command.words + "\") flags=\"" + flags_of(*command.app) + "\" words=\"" +
              positional_values(*command.app) + "\" ;;\n";
  }
  script +=
      "  esac\n"
      "  case \"$command $previous\" in\n";
  for (const NamedCommand& command : commands) script += bash_values(command);
  script +=
      "  esac\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    COMPREPLY=($(compgen -W \"" +
      command_names(app) + flags_of(app) +
      "\" -- \"$word\"))\n"
      "  elif [ -n \"$values\" ]; then\n"
      "    COMPREPLY=($(compgen -W \"$values\" -- \"$word\"))\n"
      "  elif [ \"$COMP_CWORD\" -eq 2 ] && [ -n \"$parts\" ]; then\n"
      "    COMPREPLY=($(compgen -W \"$parts$flags\" -- \"$word\"))\n"
      "  elif [ \"${word#-}\" != \"$word\" ]; then\n"
      "    COMPREPLY=($(compgen -W \"$flags\" -- \"$word\"))\n"
      "  else\n"
      "    COMPREPLY=($(compgen -W \"$words\" -- \"$word\") $(compgen -f -- \"$word\"))\n"
      "  fi\n"
      "}\n"
      "complete -o filenames -F " +
      function + " cubcal\n";
  return script;
}

/// Where zsh finds it in a folder of completions it is the body of the function _cubcal, which the
/// first completion calls: then it completes as well.
std::string zsh(const CLI::App& app) {
  return "#compdef cubcal\nautoload -U +X bashcompinit && bashcompinit\n" +
         bash(app, "_cubcal_words") +
         "if [ \"${funcstack[1]}\" = _cubcal ]; then _bash_complete -o filenames -F _cubcal_words; "
         "fi\n";
}

/// Files, flags and values of a command, offered where the condition holds.
std::string fish_flags(const CLI::App& command, const std::string& condition) {
  const std::string where = "complete -c cubcal -n '" + condition + "'";
  std::string script = where + " -F\n";
  for (const CLI::Option* option : command.get_options()) {
    const std::string values = in_a_row(option_values(*option));
    const std::vector<std::string> flags = option_flags(*option);
    if (flags.empty() && !values.empty()) script += one_text({where, " -f -a '", values, "'\n"});
    const std::string taken = !values.empty()                  ? " -x -a '" + values + "'"
                              : option->get_expected_max() > 0 ? " -r"
                                                               : "";
    for (const std::string& name : option->get_lnames()) {
      script += one_text({where, " -l ", name, taken, "\n"});
    }
    for (const std::string& name : option->get_snames()) {
      script += one_text({where, " -s ", name, taken, "\n"});
    }
  }
  return script;
}

std::string fish(const CLI::App& app) {
  std::string script =
      "complete -c cubcal -f -n __fish_use_subcommand -a '" + command_names(app) + "'\n";
  for (const CLI::App* command : app.get_subcommands({})) {
    const std::string seen = "__fish_seen_subcommand_from " + command->get_name();
    const std::string parts = command_names(*command);
    if (parts.empty()) {
      script += fish_flags(*command, seen);
      continue;
    }
    script += one_text({"complete -c cubcal -f -n '", seen,
                        "; and not __fish_seen_subcommand_from ", parts, "' -a '", parts, "'\n"});
    for (const CLI::App* part : command->get_subcommands({})) {
      script += fish_flags(
          *part, one_text({seen, "; and __fish_seen_subcommand_from ", part->get_name()}));
    }
  }
  return script;
}

}  // namespace

void add_completion(CLI::App& app) {
  auto shell = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("completion", "Print a completion script for your shell");
  command->add_option("SHELL", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->footer("Example:\n  source <(cubcal completion bash)");
  command->callback([shell, &app] {
    std::cout << (*shell == "bash" ? bash(app) : *shell == "zsh" ? zsh(app) : fish(app));
  });
}

}  // namespace cubcal::app
