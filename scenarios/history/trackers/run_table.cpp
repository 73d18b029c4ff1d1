#include "scenarios/history/trackers/run_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "scenarios/records/market_reading.hpp"
#include "scenarios/records/trace_limits.hpp"

namespace reeve::scenarios {

RunTable::RunTable(HistoryInput& input)
    : input_{input},
      csv_{input.name,
           Inflater{input.name, std::move(input.stream), TraceLimits{}.decompressed_bytes},
           TraceLimits{}.record_bytes} {
  if (!csv_.next()) throw InputError{about_trace(input.name, "E0320", "the file is empty")};
  for (const std::string_view name : csv_.fields()) names_.emplace_back(trimmed(name));
}

bool RunTable::next() {
  while (csv_.next()) {
    if (csv_.fields().size() == names_.size()) return true;
    ++input_.report.records;
    input_.findings.warn("W0632", csv_.line(),
                         fmt::format("the row has {}, the header {}",
                                     counted(csv_.fields().size(), "field"), names_.size()));
  }
  return false;
}

std::string_view RunTable::text(std::initializer_list<std::string_view> names) const {
  for (const std::string_view name : names) {
    const auto found = std::find(names_.begin(), names_.end(), name);
    if (found == names_.end()) continue;
    return trimmed(csv_.fields()[static_cast<std::size_t>(found - names_.begin())]);
  }
  return {};
}

void RunTable::tell_settings(RunList& runs) const {
  for (std::size_t i = 0; i < names_.size(); ++i) {
    const std::string_view name = names_[i];
    const std::size_t point = name.find('.');
    const std::string_view group = point == name.npos ? std::string_view{} : name.substr(0, point);
    const bool has_group = group == "config" || group == "tags" || group == "params";
    if (group == "metrics") continue;
    runs.setting(has_group ? group : "config", has_group ? name.substr(point + 1) : name,
                 trimmed(csv_.fields()[i]));
  }
}

bool has_columns(std::string_view head, std::initializer_list<std::string_view> names) {
  if (head.starts_with("\xEF\xBB\xBF")) head.remove_prefix(3);
  std::string_view line = head.substr(0, head.find_first_of("\r\n"));
  std::vector<std::string_view> columns;
  while (!line.empty()) {
    const std::size_t end = std::min(line.find(','), line.size());
    std::string_view name = trimmed(line.substr(0, end));
    if (name.size() > 1 && name.front() == '"' && name.back() == '"') {
      name = name.substr(1, name.size() - 2);
    }
    columns.push_back(name);
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return std::all_of(names.begin(), names.end(), [&](std::string_view name) {
    return std::find(columns.begin(), columns.end(), name) != columns.end();
  });
}

}  // namespace reeve::scenarios
