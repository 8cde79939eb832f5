#include <iostream>
#include <memory>

#include "commands.h"
#include "cubcal/core/error.h"

namespace cubcal::app {

namespace {

/// Every flag of a command, separated by spaces.
std::string flags_of(const CLI::App& command) {
  std::string flags;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_snames()) flags += "-" + name + " ";
    for (const std::string& name : option->get_lnames()) flags += "--" + name + " ";
  }
  return flags;
}

std::string command_names(const CLI::App& app) {
  std::string names;
  for (const CLI::App* command : app.get_subcommands({})) names += command->get_name() + " ";
  return names;
}

std::string bash(const CLI::App& app) {
  std::string script =
      "_cubcal() {\n"
      "  local word=\"${COMP_WORDS[COMP_CWORD]}\" flags=\"" +
      flags_of(app) +
      "\" parts=\"\"\n"
      "  case \"${COMP_WORDS[1]}\" in\n";
  for (const CLI::App* command : app.get_subcommands({})) {
    script += "    " + command->get_name() + ") flags=\"" + flags_of(*command) + "\" parts=\"" +
              command_names(*command) + "\" ;;\n";
  }
  script +=
      "  esac\n"
      "  case \"${COMP_WORDS[1]} ${COMP_WORDS[2]}\" in\n";
  for (const CLI::App* command : app.get_subcommands({})) {
    for (const CLI::App* part : command->get_subcommands({})) {
      script += "    \"" + command->get_name() + " " + part->get_name() + "\") flags=\"" +
                flags_of(*part) + "\" ;;\n";
    }
  }
  script +=
      "  esac\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    COMPREPLY=($(compgen -W \"" +
      command_names(app) + flags_of(app) +
      "\" -- \"$word\"))\n"
      "  elif [ \"$COMP_CWORD\" -eq 2 ] && [ -n \"$parts\" ]; then\n"
      "    COMPREPLY=($(compgen -W \"$parts$flags\" -- \"$word\"))\n"
      "  elif [ \"${word#-}\" != \"$word\" ]; then\n"
      "    COMPREPLY=($(compgen -W \"$flags\" -- \"$word\"))\n"
      "  else\n"
      "    COMPREPLY=($(compgen -f -- \"$word\"))\n"
      "  fi\n"
      "}\n"
      "complete -o filenames -F _cubcal cubcal\n";
  return script;
}

std::string zsh(const CLI::App& app) {
  return "#compdef cubcal\nautoload -U +X bashcompinit && bashcompinit\n" + bash(app);
}

/// Files and flags of a command, offered where the condition holds.
std::string fish_flags(const CLI::App& command, const std::string& condition) {
  const std::string where = " -n '" + condition + "'";
  std::string script = "complete -c cubcal -F" + where + "\n";
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      script += "complete -c cubcal" + where + " -l " + name + "\n";
    }
    for (const std::string& name : option->get_snames()) {
      script += "complete -c cubcal" + where + " -s " + name + "\n";
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
    script += "complete -c cubcal -f -n '" + seen + "; and not __fish_seen_subcommand_from " +
              parts + "' -a '" + parts + "'\n";
    for (const CLI::App* part : command->get_subcommands({})) {
      script += fish_flags(*part, seen + "; and __fish_seen_subcommand_from " + part->get_name());
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
