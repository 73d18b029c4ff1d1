#include "scenarios/history/data/findings.hpp"

#include <fmt/format.h>

#include <utility>

namespace reeve::scenarios {

void FileFindings::warn(std::string_view code, std::uint64_t line, std::string message,
                        std::string help) {
  Diagnostic found;
  found.code = code;
  found.position = {line, 1, 1};
  found.message = std::move(message);
  found.help = std::move(help);
  warn(std::move(found));
}

void FileFindings::warn(Diagnostic warning) {
  Kind& kind = kinds_[warning.code];
  if (++kind.count > kept) return;
  warning.severity = Severity::warning;
  if (warning.file.empty()) warning.file = file_;
  kind.first.push_back(std::move(warning));
}

std::vector<Diagnostic> FileFindings::warnings() const {
  std::vector<Diagnostic> all;
  for (const auto& [code, kind] : kinds_) {
    all.insert(all.end(), kind.first.begin(), kind.first.end());
    if (kind.count > kept) {
      all.back().notes.push_back(fmt::format("{} more like this", kind.count - kept));
    }
  }
  return all;
}

void LateFindings::tell() {
  for (const auto& [file, found] : by_file_) {
    for (Diagnostic& each : found.warnings()) files_[file].warnings.push_back(std::move(each));
  }
  by_file_.clear();
}

std::uint64_t FileFindings::count(std::string_view code) const {
  const auto found = kinds_.find(code);
  return found == kinds_.end() ? 0 : found->second.count;
}

}  // namespace reeve::scenarios
