// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "cli/completion.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <system_error>

#include "cli/session.hpp"
#include "sim/config/config_keys.hpp"
#include "sim/config/configurations.hpp"
#include "sim/io/host_workloads.hpp"
#include "sim/media/media_config.hpp"

namespace cxlgpu {

namespace {

using Words = std::vector<std::string>;

// Files of a folder of configs by their names.
Words names_in(const std::filesystem::path& folder) {
  Words names;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder, none)) {
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem());
  }
  std::sort(names.begin(), names.end());
  return names;
}

// Host memory is DRAM.
bool is_dram(const std::filesystem::path& configs, const std::string& media) {
  const MediaConfig part = load_media_config(configs / "media" / (media + ".yaml"));
  return std::holds_alternative<DramConfig>(part.params);
}

Words scenarios(const std::filesystem::path& configs) {
  const ScenarioNames names = scenario_names(configs);
  std::vector<MemoryKind> memories;  // of names.configs
  for (const std::string& name : names.configs) {
    RunConfig probe;
    apply_configuration(probe, name);
    memories.push_back(probe.memory);
  }
  Words all;
  for (const std::string& workload : names.workloads) {
    const HostWorkloadKind* program = host_workload(workload);
    for (const std::string& media : names.media) {
      const bool dram = program != nullptr && is_dram(configs, media);
      for (std::size_t i = 0; i < memories.size(); ++i) {
        const bool runs =
            program != nullptr ? program->runs_on(memories[i]) : runs_kernels(memories[i]);
        if (!runs || (runs_copies(memories[i]) && !dram)) continue;
        all.push_back(fmt::format("{}-{}-{}", workload, media, names.configs[i]));
      }
    }
  }
  return all;
}

// "gpu.cores=" of each key, or the values of one that has names for them.
Words settings(const std::string& begun) {
  Words all;
  const std::size_t equals = begun.find('=');
  if (equals == std::string::npos) {
    for (const std::string& key : key_names()) all.push_back(key + "=");
    return all;
  }
  const ConfigKey* key = find_key(begun.substr(0, equals));
  if (key == nullptr) return all;
  for (const std::string& choice : key->range.choices) {
    all.push_back(begun.substr(0, equals + 1) + choice);
  }
  return all;
}

Words keys_and_sections() {
  Words all = key_names();
  const Words sections = key_sections();
  all.insert(all.end(), sections.begin(), sections.end());
  return all;
}

// The choices that the parser holds an option to, as its help has them: TEXT:{rtl,model,cosim}.
Words checked_choices(const CLI::Option& option) {
  Words choices;
  const std::string type = option.get_type_name();
  const std::size_t from = type.find('{'), to = type.find('}');
  if (from == std::string::npos || to == std::string::npos) return choices;
  for (const std::string& choice : CLI::detail::split(type.substr(from + 1, to - from - 1), ',')) {
    choices.push_back(choice);
  }
  return choices;
}

// What an option, or a word without one, may be; of files nothing.
Words values(const CLI::App& verb, const CLI::Option& option, const std::string& begun,
             const std::filesystem::path& configs) {
  const std::string name = option.get_name(true, false);
  if (option.check_lname("set")) return settings(begun);
  if (option.check_lname("machine")) return names_in(configs / "machines");
  if (option.check_lname("rtl")) return names_in(configs / "rtl");
  if (name == "scenario") return scenarios(configs);
  if (verb.get_name() == "explain") return keys_and_sections();
  if (verb.get_name() == "media") return names_in(configs / "media");
  return checked_choices(option);
}

bool takes_a_value(const CLI::Option& option) {
  return option.get_items_expected_max() > 0 && option.get_type_size() > 0;
}

Words options_of(const CLI::App& verb) {
  Words names;
  for (const CLI::Option* option : verb.get_options([](const CLI::Option*) { return true; })) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

const CLI::Option* option_of(const CLI::App& verb, const std::string& word) {
  return word.starts_with("-") ? verb.get_option_no_throw(word) : nullptr;
}

const CLI::App* below_of(const CLI::App& verb, const std::string& word) {
  const auto found =
      verb.get_subcommands([&](const CLI::App* below) { return below->get_name() == word; });
  return found.empty() ? nullptr : found.front();
}

}  // namespace

Words completions(const CLI::App& app, const Words& words, const std::filesystem::path& configs) {
  if (words.empty()) return {};
  const CLI::App* verb = &app;
  const CLI::Option* awaited = nullptr;
  std::size_t positionals = 0;
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (awaited != nullptr) {
      awaited = nullptr;
    } else if (const CLI::Option* option = option_of(*verb, words[i]); option != nullptr) {
      if (takes_a_value(*option)) awaited = option;
    } else if (const CLI::App* below = below_of(*verb, words[i]); below != nullptr) {
      verb = below;
    } else if (!words[i].starts_with("-")) {
      ++positionals;
    }
  }

  const std::string& begun = words.back();
  Words all;
  if (awaited != nullptr) {
    all = values(*verb, *awaited, begun, configs);
  } else if (begun.starts_with("-")) {
    all = options_of(*verb);
  } else {
    for (const CLI::App* below : verb->get_subcommands([](const CLI::App*) { return true; })) {
      if (!below->get_group().empty()) all.push_back(below->get_name());
    }
    std::size_t number = 0;
    for (const CLI::Option* option : verb->get_options([](const CLI::Option*) { return true; })) {
      if (!option->get_positional() || number++ != positionals) continue;
      all = values(*verb, *option, begun, configs);
    }
  }
  std::erase_if(all, [&](const std::string& one) { return !one.starts_with(begun); });
  return all;
}

std::string completion_script(const std::string& shell) {
  // Bash cuts words at = and :, the command wants them whole; and it replaces only what is behind
  // the last of these.
  static const std::map<std::string, std::string> kScripts = {
      {"bash", R"sh(_cxlgpu() {
  local line=${COMP_LINE:0:COMP_POINT} have=${COMP_WORDS[COMP_CWORD]} one
  local -a words
  read -ra words <<<"$line"
  [[ $line == *[[:space:]] ]] && words+=("")
  [[ $have == [=:] ]] && have=
  local begun=${words[-1]}
  local cut=${begun%"$have"}
  COMPREPLY=()
  while IFS= read -r one; do
    COMPREPLY+=("${one#"$cut"}")
  done < <("${words[0]/#\~/$HOME}" complete -- "${words[@]:1}" 2>/dev/null)
  [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace
  return 0
}
complete -o default -F _cxlgpu cxlgpu
)sh"},
      {"zsh", R"sh(#compdef cxlgpu
_cxlgpu() {
  local -a found
  found=(${(f)"$(${~words[1]} complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)"})
  if (( ${#found} )); then
    compadd -S '' -- ${(M)found:#*=}
    compadd -- ${found:#*=}
  else
    _files
  fi
}
if [[ $funcstack[1] == _cxlgpu ]]; then _cxlgpu "$@"; else compdef _cxlgpu cxlgpu; fi
)sh"},
      {"fish", R"sh(function __cxlgpu_complete
  set -l words (commandline -opc)
  set -l found ($words[1] complete -- $words[2..-1] (commandline -ct) 2>/dev/null)
  if set -q found[1]
    printf '%s\n' $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c cxlgpu -f -a '(__cxlgpu_complete)'
)sh"}};
  return kScripts.at(shell);
}

}  // namespace cxlgpu
