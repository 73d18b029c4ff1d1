// What an import could not use and what it assumed: counted by code, with a few places of each.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <reeve/policy/units.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/text/diagnostic.hpp"

namespace reeve::scenarios {

/// The warnings of one file.  Of each code the first `kept` stay, and all are counted.
class FileFindings {
 public:
  static constexpr std::size_t kept = 5;

  explicit FileFindings(std::string file) : file_{std::move(file)} {}

  /// `line` 0: about the file as a whole.
  void warn(std::string_view code, std::uint64_t line, std::string message, std::string help = {});
  void warn(Diagnostic warning);

  /// By code, each with how many more there are in a note of its last.
  std::vector<Diagnostic> warnings() const;
  std::uint64_t count(std::string_view code) const;

 private:
  struct Kind {
    std::uint64_t count = 0;
    std::vector<Diagnostic> first;
  };
  std::string file_;
  std::map<std::string, Kind, std::less<>> kinds_;
};

/// One file of an import: what it was, and what came of it.
struct FileReport {
  std::string file = {};
  std::string kind = {};
  std::uint64_t bytes = 0;                     ///< of text, after gunzip
  std::uint64_t records = 0;                   ///< rows, or elements of JSON
  std::uint64_t used = 0;                      ///< of these
  std::optional<policy::Instant> newest = {};  ///< its latest time
  std::size_t jobs_until = 0;                  ///< how many jobs the history has after this file
  std::vector<Diagnostic> warnings = {};
};

/// Warnings about files that come when all are read.
class LateFindings {
 public:
  explicit LateFindings(std::vector<FileReport>& files) : files_{files} {}

  /// Of one of the files.
  FileFindings& of(std::size_t file) {
    return by_file_.try_emplace(file, files_.at(file).file).first->second;
  }
  /// Adds them to the reports of the files.
  void tell();

 private:
  std::vector<FileReport>& files_;
  std::map<std::size_t, FileFindings> by_file_;
};

}  // namespace reeve::scenarios
