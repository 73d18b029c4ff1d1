#include "scenarios/history/slurm/rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>

#include "scenarios/history/slurm/values.hpp"
#include "scenarios/records/end_status.hpp"
#include "scenarios/records/market_reading.hpp"
#include "scenarios/records/trace_limits.hpp"
#include "scenarios/text/csv.hpp"
#include "scenarios/text/inflater.hpp"

namespace reeve::scenarios {
namespace {

using Column = SlurmRows::Column;

constexpr std::array<std::string_view, SlurmRows::column_count> sacct_columns{
    "JobID",      "JobIDRaw",  "State",        "Submit",   "Start",     "End",         "Elapsed",
    "ElapsedRaw", "Timelimit", "TimelimitRaw", "NNodes",   "AllocTRES", "ReqTRES",     "User",
    "Partition",  "Account",   "Cluster",      "Restarts", "ExitCode",  "AdminComment"};
constexpr auto free_columns = std::to_array<std::string_view>(
    {"JobName", "Comment", "AdminComment", "SystemComment", "Extra", "WorkDir", "SubmitLine",
     "Constraints", "Container", "StdIn", "StdOut", "StdErr"});
/// These have commas.
constexpr auto comma_columns = std::to_array<std::string_view>(
    {"AllocTRES", "ReqTRES", "NodeList", "Reason", "Flags", "Licenses"});
/// Calls `found` with the place of each `c`: eight bytes at a time, since fields are short.
template <class Found>
void for_each_place(std::string_view text, char c, const Found& found) {
  constexpr std::uint64_t ones = 0x0101010101010101, low = 0x7f * ones;
  constexpr bool is_little = std::endian::native == std::endian::little;
  const std::uint64_t wanted = ones * static_cast<unsigned char>(c);
  std::size_t at = 0;
  for (std::uint64_t bytes = 0; is_little && at + sizeof bytes <= text.size(); at += sizeof bytes) {
    std::memcpy(&bytes, text.data() + at, sizeof bytes);
    const std::uint64_t other = bytes ^ wanted;  // a byte is 0 where `c` is
    for (std::uint64_t hits = ~(((other & low) + low) | other | low); hits != 0; hits &= hits - 1) {
      found(at + static_cast<std::size_t>(std::countr_zero(hits)) / 8);
    }
  }
  for (; at < text.size(); ++at) {
    if (text[at] == c) found(at);
  }
}

constexpr std::string_view usual_delimiters = "|\t;^~@#!,";
constexpr std::string_view sacct_call =
    "TZ=UTC SLURM_TIME_FORMAT=%s sacct -aXDP -S now-90days --format=JobID,JobIDRaw,User,Account,"
    "Partition,State,ExitCode,Submit,Start,End,ElapsedRaw,TimelimitRaw,NNodes,ReqTRES,AllocTRES,"
    "Restarts,AdminComment";

template <class Names>
bool is_sacct_name(std::string_view name, const Names& names) {
  return std::any_of(names.begin(), names.end(),
                     [&](std::string_view each) { return same_word(each, name); });
}

bool is_name_char(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

std::string_view sacct_first_line(std::string_view head) {
  if (head.starts_with("\xEF\xBB\xBF")) head.remove_prefix(3);
  head.remove_prefix(std::min(head.find_first_not_of("\r\n"), head.size()));
  std::string_view line = head.substr(0, head.find('\n'));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::vector<std::string_view> sacct_fields(std::string_view line, std::string_view delimiter) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0;;) {
    const std::size_t end = std::min(line.find(delimiter, begin), line.size());
    parts.push_back(trimmed(line.substr(begin, end - begin)));
    if (end == line.size()) return parts;
    begin = end + delimiter.size();
  }
}

/// What stands behind the first name of a header; empty if the line has one word only.
std::string delimiter_of_header(std::string_view line) {
  const auto* const name = std::find_if_not(line.begin(), line.end(), is_name_char);
  const auto* const end = std::find_if(name, line.end(), is_name_char);
  return name == line.begin() ? "" : std::string{name, end};
}

bool is_all_blank(std::string_view text) {
  return text.find_first_not_of(' ') == text.npos;
}

bool is_sacct_header(std::string_view line) {
  const std::string delimiter = delimiter_of_header(line);
  if (delimiter.empty()) return false;
  const auto names = sacct_fields(line, is_all_blank(delimiter) ? " " : delimiter);
  const bool has_id = is_sacct_name("JobID", names) || is_sacct_name("JobIDRaw", names);
  constexpr auto others = std::to_array<std::string_view>(
      {"State", "Elapsed", "ElapsedRaw", "Submit", "AllocTRES", "ReqTRES", "Timelimit"});
  return has_id && std::any_of(others.begin(), others.end(),
                               [&](std::string_view other) { return is_sacct_name(other, names); });
}

bool is_sacct_row(std::string_view line) {
  for (const char delimiter : usual_delimiters) {
    const auto parts = sacct_fields(line, {&delimiter, 1});
    if (parts.size() < 4 || !slurm_id(parts.front())) continue;
    if (std::any_of(parts.begin(), parts.end(),
                    [](std::string_view part) { return slurm_state(part).has_value(); })) {
      return true;
    }
  }
  return false;
}

InputError about_sacct_header(const LineScanner& lines, std::string_view code, std::string message,
                              std::string help) {
  return InputError{lines.at(lines.line(), code, std::move(message)).with_help(std::move(help))};
}

}  // namespace

bool SlurmRows::recognizes(std::string_view head) {
  const std::string_view line = sacct_first_line(head);
  return is_sacct_header(line) || is_sacct_row(line);
}

SlurmRows::SlurmRows(HistoryInput& input, const HistoryOptions& options)
    : lines_{input.name,
             Inflater{input.name, std::move(input.stream), TraceLimits{}.decompressed_bytes},
             TraceLimits{}.record_bytes} {
  if (!lines_.next_line()) {
    throw InputError{
        about_trace(input.name, "E0320", "the file is empty", std::string{sacct_call})};
  }
  if (is_sacct_header(lines_.line())) {
    header_ = lines_.line();
    delimiter_ = delimiter_of_header(header_);
    if (is_all_blank(delimiter_)) {
      throw about_sacct_header(lines_, "E0394", "a table whose columns are cut",
                               "export with sacct --parsable2");
    }
    auto names = sacct_fields(header_, delimiter_);
    is_trailing_ = names.back().empty();
    if (is_trailing_) names.pop_back();
    place_columns(names);
  } else {
    read_columns(options.columns);
    has_header_ = true;
  }
  require_columns();
}

/// The names as the user states them; the first line tells the delimiter.
void SlurmRows::read_columns(std::span<const std::string> stated) {
  if (stated.empty()) {
    throw about_sacct_header(
        lines_, "E0401", "the file has no header: its first line is a job",
        "export without --noheader, or name its columns: --columns JobID,State,Submit,...");
  }
  std::vector<std::string_view> names;
  for (const std::string& name : stated) {
    names.push_back(std::string_view{name}.substr(0, name.find('%')));  // sacct -o JobID%20
  }
  const std::string_view line = lines_.line();
  for (const char delimiter : usual_delimiters) {
    const auto parts = sacct_fields(line, {&delimiter, 1});
    is_trailing_ = parts.size() == names.size() + 1 && parts.back().empty();
    if (parts.size() != names.size() && !is_trailing_) continue;
    delimiter_ = delimiter;
    place_columns(names);
    return;
  }
  throw about_sacct_header(lines_, "E0412",
                           fmt::format("the first line has {}, the options name {}",
                                       counted(sacct_fields(line, "|").size(), "field"),
                                       counted(names.size(), "column")),
                           "--columns names each field once, in order");
}

void SlurmRows::place_columns(std::span<const std::string_view> names) {
  width_ = names.size();
  places_.fill(absent);
  for (std::size_t i = 0; i < names.size(); ++i) {
    for (std::size_t column = 0; column < column_count; ++column) {
      if (places_[column] == absent && same_word(names[i], sacct_columns[column])) {
        places_[column] = i;
      }
    }
    const bool is_free = is_sacct_name(names[i], free_columns) ||
                         (delimiter_ == "," && is_sacct_name(names[i], comma_columns));
    if (is_free) free_.push_back(i);
  }
}

void SlurmRows::require_columns() const {
  const auto missing = [&](std::string_view name) {
    return about_sacct_header(lines_, "E0321", fmt::format("the column \"{}\" is missing", name),
                              std::string{sacct_call});
  };
  if (!has(Column::job_id) && !has(Column::raw_id)) throw missing("JobID");
  for (const Column column : {Column::state, Column::submit}) {
    if (!has(column)) throw missing(sacct_columns[index(column)]);
  }
  const bool has_elapsed = has(Column::elapsed) || has(Column::elapsed_raw);
  if (!has_elapsed && !(has(Column::start) && has(Column::end))) throw missing("Elapsed");
}

bool SlurmRows::next() {
  do {
    if (!std::exchange(has_header_, false) && !lines_.next_line()) return false;
  } while (lines_.line() == header_);  // of a further file
  split(lines_.line());
  is_whole_ = fields_.size() == width_ || (fields_.size() > width_ && mend());
  return true;
}

void SlurmRows::split(std::string_view line) {
  fields_.clear();
  if (is_trailing_ && line.ends_with(delimiter_)) line.remove_suffix(delimiter_.size());
  if (delimiter_.size() > 1) {
    fields_ = sacct_fields(line, delimiter_);
    return;
  }
  std::size_t begin = 0;
  for_each_place(line, delimiter_.front(), [&](std::size_t at) {
    fields_.push_back(line.substr(begin, at - begin));
    begin = at + 1;
  });
  fields_.push_back(line.substr(begin));
}

/// Whether the row makes sense if `extra` fields more belong to the column `free`.
bool SlurmRows::is_plausible(std::size_t free, std::size_t extra) const {
  const auto shifted = [&](Column column) {
    const std::size_t place = places_[index(column)];
    return fields_[place > free ? place + extra : place];
  };
  const Column id = has(Column::job_id) ? Column::job_id : Column::raw_id;
  const auto is_time = [&](Column column) {
    return !has(column) || slurm_time(shifted(column)).kind != SlurmTime::Kind::invalid;
  };
  return slurm_id(shifted(id)) && slurm_state(shifted(Column::state)) &&
         slurm_time(shifted(Column::submit)).kind != SlurmTime::Kind::none &&
         is_time(Column::submit) && is_time(Column::start) && is_time(Column::end);
}

/// Joins the fields of a free text that has delimiters, if only one reading makes sense.
bool SlurmRows::mend() {
  const std::size_t extra = fields_.size() - width_;
  std::vector<std::size_t> likely;
  for (const std::size_t free : free_) {
    if (is_plausible(free, extra)) likely.push_back(free);
  }
  if (likely.empty()) return false;
  const bool differ = std::any_of(places_.begin(), places_.end(), [&](std::size_t place) {
    return place != absent && place > likely.front() && place <= likely.back();
  });
  if (differ) return false;
  const std::size_t free = likely.front();
  const std::string_view last = fields_[free + extra];
  const char* const begin = fields_[free].data();
  fields_[free] = {begin, static_cast<std::size_t>(last.data() + last.size() - begin)};
  const auto from = fields_.begin() + static_cast<std::ptrdiff_t>(free) + 1;
  fields_.erase(from, from + static_cast<std::ptrdiff_t>(extra));
  return true;
}

std::string SlurmRows::fault() const {
  return fmt::format("the row has {}, the header {}", counted(fields_.size(), "field"), width_);
}

Diagnostic SlurmRows::at(Column column, std::string_view code, std::string message,
                         std::string label) const {
  return lines_.at(text(column), code, std::move(message), std::move(label));
}

}  // namespace reeve::scenarios
