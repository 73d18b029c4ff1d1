#include "scenarios/exchange/job_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "scenarios/records/market_reading.hpp"
#include "scenarios/text/clock_time.hpp"
#include "scenarios/text/inflater.hpp"
#include "scenarios/text/quantity.hpp"

namespace reeve::scenarios {
JobColumns::JobColumns(std::string name, std::unique_ptr<std::istream> input,
                       std::span<const std::string_view> known, std::size_t required)
    : known_{known},
      csv_{name, Inflater{name, std::move(input), TraceLimits{}.decompressed_bytes},
           TraceLimits{}.record_bytes},
      header_{CsvHeader::read(csv_, known, known.first(required))} {}

bool JobColumns::next() {
  if (!csv_.next()) return false;
  if (std::exchange(begun_, true)) ++row_;
  header_.check_width(csv_);
  return true;
}

std::string_view JobColumns::text(std::size_t column) const {
  return header_.has(column) ? trimmed(csv_.fields()[header_.field(column)]) : std::string_view{};
}

Diagnostic JobColumns::at(std::size_t column, std::string_view code, std::string message,
                          std::string label) const {
  return csv_.at(header_.has(column) ? header_.field(column) : 0, code, std::move(message),
                 std::move(label));
}

std::optional<std::int64_t> JobColumns::count(std::size_t column) const {
  if (text(column).empty()) return std::nullopt;
  return read_count(CsvCell{csv_, header_.field(column), known_[column]});
}

std::optional<policy::Duration> JobColumns::seconds(std::size_t column) const {
  if (text(column).empty()) return std::nullopt;
  if (text(column).find(':') != std::string_view::npos) {
    if (const auto time = parse_clock_time(text(column))) return time;
    throw InputError{
        at(column, "E0313",
           fmt::format("{} is not a duration: {}", known_[column], in_quotes(text(column))),
           "expected D-HH:MM:SS or seconds")};
  }
  return read_time(CsvCell{csv_, header_.field(column), known_[column]}, StampUnit::seconds);
}

std::optional<policy::Instant> JobColumns::stamp(std::size_t column) const {
  const std::string_view written = text(column);
  if (written.empty() || written == "None" || written == "Unknown") return std::nullopt;
  return read_stamp(written, CsvCell{csv_, header_.field(column), known_[column]});
}

void JobColumns::refuse_empty(std::size_t column) const {
  throw InputError{at(column, "E0317", fmt::format("the job has no {}", known_[column]), "empty")};
}

std::string JobColumns::needed_text(std::size_t column) const {
  if (text(column).empty()) refuse_empty(column);
  return std::string{text(column)};
}

policy::Duration JobColumns::needed_seconds(std::size_t column) const {
  const auto value = seconds(column);
  if (!value) refuse_empty(column);
  return *value;
}

policy::Instant JobColumns::needed_stamp(std::size_t column) const {
  const auto value = stamp(column);
  if (!value) refuse_empty(column);
  return *value;
}

EndStatus JobColumns::status(std::size_t column) const {
  const std::string_view cell = text(column);
  if (cell.empty()) return EndStatus::unknown;
  if (const auto known = end_status_named(cell)) return *known;
  throw InputError{
      at(column, "E0325", fmt::format("unknown end status {}", in_quotes(cell)), "not a known word")
          .with_help(help_for_end_status(cell))};
}

policy::Duration JobColumns::between(policy::Instant from, policy::Instant until,
                                     std::size_t column) const {
  if (until < from) {
    throw InputError{csv_.at(header_.field(column), "E0330",
                             fmt::format("{} is before the start of the job", known_[column]),
                             "times out of order")};
  }
  return until - from;
}

std::optional<policy::Duration> JobColumns::wait(policy::Instant from, policy::Instant until,
                                                 std::size_t column) {
  if (from <= until) return until - from;
  if (++early_ <= most_warnings) {
    warnings_.push_back(
        as_warning(csv_.at(header_.field(column), "W0303", "the job began before it was submitted",
                           "its wait is treated as unknown")));
  }
  return std::nullopt;
}

policy::Duration ran_longer(policy::Duration ran, policy::Duration more) {
  return std::min(longest_duration, ran + std::min(longest_duration, more));
}

std::vector<Diagnostic> JobColumns::warnings() const {
  std::vector<Diagnostic> all = header_.warnings();
  all.insert(all.end(), warnings_.begin(), warnings_.end());
  return all;
}

void infer_nodes(ImportedJob& job, std::int64_t gpus) {
  constexpr std::int64_t gpus_of_a_node = 8;
  job.nodes = std::max<std::int64_t>(1, (gpus + gpus_of_a_node - 1) / gpus_of_a_node);
  job.gpus_per_node = (gpus + *job.nodes - 1) / *job.nodes;
  job.gpus_total = gpus;
  job.gpu_milli = 1000;
}

}  // namespace reeve::scenarios
