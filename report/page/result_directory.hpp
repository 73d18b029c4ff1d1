// Reads a directory of results: its manifest, and its CSV tables row by row.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/text/csv.hpp"

namespace reeve::report {

/// JSON of a table or manifest; discarded if it is none or is nested too deep.
nlohmann::ordered_json parsed(const std::string& text);

/// A table of results, front to back, with the columns that the reader needs.  Throws
/// std::runtime_error naming the file and line: a column is missing, a number is none, a row is
/// short; and what scenarios::CsvReader throws.
class ResultTable {
 public:
  ResultTable(const std::filesystem::path& file, const std::vector<std::string_view>& columns);

  bool next();
  /// Cells of the current row, by index into `columns`.
  std::string_view text(std::size_t column) const;
  std::optional<double> number(std::size_t column) const;  ///< none: the cell is empty
  /// A date and time of UTC in seconds after `start`, another one.
  double seconds_since(std::string_view start, std::size_t column) const;
  double number_or(std::size_t column, double otherwise) const {
    return number(column).value_or(otherwise);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const;

  std::unique_ptr<scenarios::CsvReader> csv_;
  std::vector<std::size_t> places_;  ///< of the columns in a record
  std::vector<std::string_view> names_;
  std::size_t width_ = 0;
};

/// A run by its id: "gpu-alarm/0".
struct RunId {
  std::string_view policy;
  bool is_first = false;  ///< replication 0
};

RunId run_of(std::string_view run_id);

/// Throws std::runtime_error if the directory has no results of `reeve compare`, `reeve run` or
/// `reeve sweep`, or if they are incomplete or damaged.
class ResultDirectory {
 public:
  explicit ResultDirectory(std::filesystem::path directory);

  const std::filesystem::path& path() const { return path_; }
  const nlohmann::ordered_json& manifest() const { return manifest_; }
  const nlohmann::ordered_json& package() const { return package_; }
  const std::vector<std::string>& policies() const { return policies_; }
  /// Index into policies(); none: no policy of that name.
  std::optional<std::size_t> policy(std::string_view name) const;
  /// The start of the clock: "2026-05-22T22:00:00Z".
  std::string_view start() const { return start_; }
  /// Of the policy, from runs.csv.
  const std::vector<double>& runs() const { return runs_; }

  ResultTable table(std::string_view name, const std::vector<std::string_view>& columns) const;

 private:
  void check_tables() const;
  void read_summary();
  void count_runs();

  std::filesystem::path path_;
  nlohmann::ordered_json manifest_;
  nlohmann::ordered_json package_;
  std::vector<std::string> policies_;
  std::vector<double> runs_;
  std::string start_;
};

}  // namespace reeve::report
