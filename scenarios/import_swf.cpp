// The Standard Workload Format of the Parallel Workloads Archive (Chapin et al., 1999).
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "scenarios/import_readers.hpp"
#include "scenarios/inflater.hpp"
#include "scenarios/market_reading.hpp"
#include "scenarios/source.hpp"

namespace reeve::scenarios {
namespace {

using policy::Duration;

// Of the format's 18 fields, those that the canonical record has a place for.
enum Field : std::size_t {
  number = 0,
  submit = 1,
  wait = 2,
  run_time = 3,
  processors = 4,
  asked_processors = 7,
  status = 10,
  user = 11,
  queue = 14,
  fields = 18,
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
      if (words_.empty() || words_[0][0] == ';') continue;
      if (words_.size() == fields) return true;
      throw InputError{source_->diagnose(
          begin_, end - begin_, "E0312",
          fmt::format("a job has {} fields, this line has {}", +fields, words_.size()))};
    }
    return false;
  }

  std::string_view text(Field field) const { return words_[field]; }
  SwfCell cell(Field field, std::string_view name) const { return {*source_, words_[field], name}; }
  /// -1 stands for unknown.
  bool known(Field field) const { return words_[field] != "-1"; }
  std::string name_of(Field field) const {
    return known(field) ? std::string{words_[field]} : std::string{};
  }
  std::optional<Duration> seconds(Field field, std::string_view name) const {
    if (!known(field)) return std::nullopt;
    return read_time(cell(field, name), StampUnit::seconds);
  }
  std::optional<std::int64_t> count(Field field, std::string_view name) const {
    if (!known(field)) return std::nullopt;
    return read_count(cell(field, name));
  }

 private:
  static constexpr std::size_t limit = std::size_t{512} << 20;
  std::shared_ptr<const SourceFile> source_;
  std::size_t at_ = 0;
  std::size_t begin_ = 0;
  std::vector<std::string_view> words_;
};

EndStatus status_of(std::string_view code) {
  if (code == "1") return EndStatus::completed;
  if (code == "0") return EndStatus::failed;
  if (code == "5") return EndStatus::killed;
  return EndStatus::unknown;
}

}  // namespace

ImportedJobs read_swf(std::string name, std::unique_ptr<std::istream> input) {
  SwfLines log{name, std::move(input)};
  ImportedJobs imported;
  while (log.next()) {
    ImportedJob job;
    job.job_id = log.text(number);
    job.submit = read_time(log.cell(submit, "submit time"), StampUnit::seconds);
    job.user = log.name_of(user);
    job.queue = log.name_of(queue);
    job.nodes = log.count(processors, "number of processors");
    if (!job.nodes) job.nodes = log.count(asked_processors, "requested number of processors");
    job.duration = log.seconds(run_time, "run time");
    job.end_status = status_of(log.text(status));
    job.observed_wait = log.seconds(wait, "wait time");
    imported.jobs.push_back(std::move(job));
  }
  return imported;
}

}  // namespace reeve::scenarios
