// One record after another of a job log in CSV, its cells requested by column.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <reeve/policy/units.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/exchange/job_import.hpp"
#include "scenarios/text/csv.hpp"
#include "scenarios/text/csv_header.hpp"

namespace reeve::scenarios {

/// A log with a header.  `known` are its columns, which outlive it; the first `required` of them
/// must be there.  Columns beyond them are W0301.
class JobColumns {
 public:
  JobColumns(std::string name, std::unique_ptr<std::istream> input,
             std::span<const std::string_view> known, std::size_t required);

  bool next();
  std::uint64_t row() const { return row_; }  ///< of the record at hand, from 0
  std::uint64_t line() const { return csv_.line(); }
  bool has(std::size_t column) const { return header_.has(column); }
  std::string_view name_of(std::size_t column) const { return known_[column]; }
  std::string_view text(std::size_t column) const;

  /// A finding under the column's cell, or under the first if the file lacks the column.
  Diagnostic at(std::size_t column, std::string_view code, std::string message,
                std::string label) const;

  /// Nothing if the cell is empty; errors as of market traces (E0313 ...).
  std::optional<std::int64_t> count(std::size_t column) const;
  std::optional<policy::Duration> seconds(std::size_t column) const;
  std::optional<policy::Instant> stamp(std::size_t column) const;  ///< UTC if it has no offset

  /// Where a job must have something: E0317.
  [[noreturn]] void refuse_empty(std::size_t column) const;
  std::string needed_text(std::size_t column) const;
  policy::Duration needed_seconds(std::size_t column) const;
  policy::Instant needed_stamp(std::size_t column) const;

  /// Unknown if the cell is empty; E0325 if it is no word for the end of a job.
  EndStatus status(std::size_t column) const;

  /// `from` to `until` in the record at hand; E0330 if it ends before it begins.
  policy::Duration between(policy::Instant from, policy::Instant until, std::size_t column) const;

  /// The same for the wait of a job; W0303 and nothing if it began before it was submitted.
  std::optional<policy::Duration> wait(policy::Instant from, policy::Instant until,
                                       std::size_t column);

  std::vector<Diagnostic> warnings() const;

 private:
  std::span<const std::string_view> known_;
  CsvReader csv_;
  CsvHeader header_;
  std::uint64_t row_ = 0;
  bool begun_ = false;
  std::vector<Diagnostic> warnings_;
  std::size_t early_ = 0;  ///< jobs that began too early
};

/// The run of a job so far and of one more attempt, at most the longest time there is.
policy::Duration ran_longer(policy::Duration ran, policy::Duration more);

/// As few nodes of at most 8 GPUs as hold them: what logs that tell GPUs only are usually read as.
void infer_nodes(ImportedJob& job, std::int64_t gpus);

}  // namespace reeve::scenarios
