// The files that a scenario names: relative to it, with the nearest name if one is missing.
#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "scenarios/load/resolved/loading.hpp"

namespace reeve::scenarios {
namespace {

/// Names of files in the folder of `path`, to suggest one for a wrong name.
std::vector<std::string> neighbours(const std::filesystem::path& path) {
  std::vector<std::string> names;
  std::error_code error;
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  for (const auto& entry : std::filesystem::directory_iterator{folder, error}) {
    if (names.size() >= 1000) break;
    if (entry.is_regular_file(error)) names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

std::optional<std::filesystem::path> find_trace(Loading& loading, const std::string& name,
                                                const Node& node) {
  const std::filesystem::path path = loading.folder / name;
  std::error_code error;
  if (std::filesystem::is_regular_file(path, error)) {
    loading.scenario.files.insert(name);
    return path;
  }
  // a pipe or a device might never end
  loading.error(node, "E0242", fmt::format("trace {} not found", in_quotes(name)),
                "paths are relative to this file",
                did_you_mean(path.filename().string(), neighbours(path)));
  return std::nullopt;
}

}  // namespace reeve::scenarios
