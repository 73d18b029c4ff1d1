#include "live/aws/profiles.hpp"

#include <algorithm>
#include <optional>

#include "live/aws/request.hpp"

namespace reeve::live {

namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

/// A comment within a line begins after a space.
std::string_view without_comment(std::string_view value) {
  for (std::size_t i = 1; i < value.size(); ++i) {
    const bool mark = value[i] == '#' || value[i] == ';';
    if (mark && (value[i - 1] == ' ' || value[i - 1] == '\t')) return trimmed(value.substr(0, i));
  }
  return value;
}

/// `[profile NAME]` in config, where `[default]` needs no word before it, `[NAME]` in credentials.
std::optional<std::string> profile_of(std::string_view line, ProfileFile file) {
  const std::size_t end = line.find(']');
  if (end == line.npos) return std::nullopt;
  std::string_view name = trimmed(line.substr(1, end - 1));
  if (file == ProfileFile::config && name != "default") {
    const std::size_t gap = name.find_first_of(" \t");
    if (gap == name.npos || name.substr(0, gap) != "profile") return std::nullopt;
    name = trimmed(name.substr(gap));
  }
  if (name.size() >= 2 && name.front() == name.back() && (name[0] == '"' || name[0] == '\'')) {
    name = name.substr(1, name.size() - 2);
  }
  return name.empty() ? std::nullopt : std::optional{std::string{name}};
}

std::optional<std::string> text_of_file(const Environment& environment, const std::string& variable,
                                        const std::string& usual) {
  const std::optional<std::string> home = environment.get("HOME");
  std::optional<std::string> path = environment.get(variable);
  if (!path && home) path = *home + usual;
  if (!path) return std::nullopt;
  if (path->starts_with("~/") && home) path = *home + path->substr(1);
  return environment.read_file(*path);
}

}  // namespace

ChosenProfile chosen_profile(const Environment& environment) {
  for (const char* variable : {"AWS_PROFILE", "AWS_DEFAULT_PROFILE"}) {
    if (const std::optional<std::string> name = environment.get(variable)) return {*name, true};
  }
  return {"default", false};
}

void add_profiles(std::string_view text, ProfileFile file, std::map<std::string, Profile>& out) {
  std::optional<std::string> name;
  while (!text.empty()) {
    const std::string_view whole = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), whole.size() + 1));
    const std::string_view line = trimmed(whole);
    if (line.empty() || line.front() == '#' || line.front() == ';') continue;
    if (line.front() == '[') {
      name = profile_of(line, file);
      if (name) out[*name];
      continue;
    }
    const bool nested = whole.front() == ' ' || whole.front() == '\t';
    const std::size_t equals = line.find('=');
    if (!name || nested || equals == line.npos) continue;
    const std::string_view value = without_comment(trimmed(line.substr(equals + 1)));
    if (value.empty()) continue;
    out[*name][lower_case(trimmed(line.substr(0, equals)))] = std::string{value};
  }
}

std::map<std::string, Profile> read_profiles(const Environment& environment) {
  std::map<std::string, Profile> profiles;
  const auto add = [&](const char* variable, const char* usual, ProfileFile file) {
    if (const auto text = text_of_file(environment, variable, usual)) {
      add_profiles(*text, file, profiles);
    }
  };
  add("AWS_CONFIG_FILE", "/.aws/config", ProfileFile::config);
  add("AWS_SHARED_CREDENTIALS_FILE", "/.aws/credentials", ProfileFile::credentials);
  return profiles;
}

}  // namespace reeve::live
