// The Standard Workload Format of the Parallel Workloads Archive (Chapin et al., 1999).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "scenarios/exchange/import_readers.hpp"
#include "scenarios/records/market_reading.hpp"
#include "scenarios/text/inflater.hpp"
#include "scenarios/text/source.hpp"

namespace reeve::scenarios {
namespace {

using policy::Duration;

// Of the format's 18 fields, those that the canonical record has a place for.
struct SwfField {
  enum Index : std::size_t {
    number = 0,
    submit = 1,
    wait = 2,
    run_time = 3,
    processors = 4,
    asked_processors = 7,
    asked_time = 8,
    status = 10,
    user = 11,
    queue = 14,
    fields = 18,
  };
};

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t begin = line.find_first_not_of(" \t\r", at);
    if (begin == std::string_view::npos) break;
    const std::size_t end = std::min(line.find_first_of(" \t\r", begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    at = end;
  }
  return words;
}

/// A field of the line at hand.
class SwfCell final : public Cell {
 public:
  SwfCell(const SourceFile& source, std::string_view text, std::string_view name)
      : Cell{text, name}, source_{source} {}
  Diagnostic at(std::string_view code, std::string message, std::string label) const override {
    const auto offset = static_cast<std::size_t>(text().data() - source_.text().data());
    return source_.diagnose(offset, text().size(), code, std::move(message), std::move(label));
  }

 private:
  const SourceFile& source_;
};

/// The lines of the log that are jobs, one after the other.
class SwfLines {
 public:
  SwfLines(const std::string& name, std::unique_ptr<std::istream> input)
      : source_{SourceFile::from_text(name, read_whole(name, std::move(input), limit), limit)} {}

  bool next() {
    const std::string_view text = source_->text();
    while (at_ < text.size()) {
      const std::size_t end = std::min(text.find('\n', at_), text.size());
      words_ = words_of(text.substr(at_, end - at_));
      begin_ = std::exchange(at_, end + 1);
      ++line_;
      if (words_.empty() || words_[0][0] == ';') continue;
      if (words_.size() == SwfField::fields) return true;
      throw InputError{source_->diagnose(
          begin_, end - begin_, "E0312",
          fmt::format("a job has {} fields, this line has {}", +SwfField::fields, words_.size()))};
    }
    return false;
  }

  std::string_view text(SwfField::Index field) const { return words_[field]; }
  std::uint64_t line() const { return line_; }
  SwfCell cell(SwfField::Index field, std::string_view name) const {
    return {*source_, words_[field], name};
  }
  /// -1 stands for unknown.
  bool known(SwfField::Index field) const { return words_[field] != "-1"; }
  std::string name_of(SwfField::Index field) const {
    return known(field) ? std::string{words_[field]} : std::string{};
  }
  std::optional<Duration> seconds(SwfField::Index field, std::string_view name) const {
    if (!known(field)) return std::nullopt;
    return read_time(cell(field, name), StampUnit::seconds);
  }
  std::optional<std::int64_t> count(SwfField::Index field, std::string_view name) const {
    if (!known(field)) return std::nullopt;
    return read_count(cell(field, name));
  }

 private:
  static constexpr std::size_t limit = std::size_t{512} << 20;
  std::shared_ptr<const SourceFile> source_;
  std::size_t at_ = 0;
  std::size_t begin_ = 0;
  std::uint64_t line_ = 0;
  std::vector<std::string_view> words_;
};

/// Of a job that was swapped out, codes 2 to 4 are of its parts.
EndStatus status_of(const SwfLines& log) {
  constexpr std::array<std::pair<std::string_view, EndStatus>, 7> codes{{
      {"-1", EndStatus::unknown},
      {"0", EndStatus::failed},
      {"1", EndStatus::completed},
      {"2", EndStatus::unknown},
      {"3", EndStatus::completed},
      {"4", EndStatus::failed},
      {"5", EndStatus::killed},
  }};
  for (const auto& [code, status] : codes) {
    if (log.text(SwfField::status) == code) return status;
  }
  throw InputError{log.cell(SwfField::status, "status")
                       .at("E0325",
                           fmt::format("unknown status {}", in_quotes(log.text(SwfField::status))),
                           "expected -1 to 5")};
}

/// A request of 0 s is no request.
std::optional<Duration> requested_time(const SwfLines& log) {
  const auto time = log.seconds(SwfField::asked_time, "requested time");
  return time && *time > Duration{0} ? time : std::nullopt;
}

}  // namespace

ImportedJobs read_swf(std::string name, std::unique_ptr<std::istream> input) {
  SwfLines log{name, std::move(input)};
  ImportedJobs imported;
  while (log.next()) {
    ImportedJob job;
    job.job_id = log.text(SwfField::number);
    job.line = log.line();
    job.submit = read_time(log.cell(SwfField::submit, "submit time"), StampUnit::seconds);
    job.user = log.name_of(SwfField::user);
    job.queue = log.name_of(SwfField::queue);
    job.nodes = log.count(SwfField::processors, "number of processors");
    if (!job.nodes)
      job.nodes = log.count(SwfField::asked_processors, "requested number of processors");
    job.duration = log.seconds(SwfField::run_time, "run time");
    job.end_status = status_of(log);
    job.estimate = requested_time(log);
    job.observed_wait = log.seconds(SwfField::wait, "wait time");
    imported.jobs.push_back(std::move(job));
  }
  return imported;
}

}  // namespace reeve::scenarios
