#include "scenarios/history/readers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <streambuf>

#include "scenarios/history/recognition.hpp"
#include "scenarios/history/sum_up.hpp"
#include "scenarios/records/market_reading.hpp"
#include "scenarios/text/quantity.hpp"
#include "scenarios/text/source.hpp"

namespace reeve::scenarios {
namespace {

/// What was read ahead of a stream, then the stream.
class PrefixedBuffer final : public std::streambuf {
 public:
  PrefixedBuffer(std::string head, std::unique_ptr<std::istream> rest)
      : buffer_{std::move(head)}, rest_{std::move(rest)} {
    setg(buffer_.data(), buffer_.data(), buffer_.data() + buffer_.size());
  }

 protected:
  int_type underflow() override {
    buffer_.resize(std::size_t{1} << 18);
    rest_->read(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
    const auto bytes = rest_->gcount();
    if (bytes <= 0) return traits_type::eof();
    setg(buffer_.data(), buffer_.data(), buffer_.data() + bytes);
    return traits_type::to_int_type(buffer_.front());
  }

 private:
  std::string buffer_;
  std::unique_ptr<std::istream> rest_;
};

class PrefixedStream final : public std::istream {
 public:
  PrefixedStream(std::string head, std::unique_ptr<std::istream> rest)
      : std::istream{nullptr}, bytes_{std::move(head), std::move(rest)} {
    rdbuf(&bytes_);
  }

 private:
  PrefixedBuffer bytes_;
};

namespace fs = std::filesystem;

/// Whether `reeve import history` wrote the folder.
bool is_import(const fs::path& folder) {
  std::ifstream in{folder / "import.json", std::ios::binary};
  std::string head(head_bytes, '\0');
  in.read(head.data(), static_cast<std::streamsize>(head.size()));
  return head.find("\"reeve_import\"") != head.npos;
}

/// The files that a name stands for: itself, or those in a folder, by name.
struct NamedFiles {
  std::vector<std::string> files;
  std::vector<std::string> imports;  ///< folders of earlier imports: their files are no exports
  bool is_folder = false;
};

NamedFiles files_in(const std::string& name) {
  std::error_code failed;
  if (name == "-" || !fs::is_directory(name, failed)) return {{name}, {}, false};
  NamedFiles found{{}, {}, true};
  if (is_import(name)) {
    found.imports.push_back(name);
    return found;
  }
  for (fs::recursive_directory_iterator at{name, failed}; at != fs::end(at); ++at) {
    const auto base = at->path().filename().string();
    if (at->is_directory(failed) && is_import(at->path())) {
      found.imports.push_back(at->path().string());
      at.disable_recursion_pending();
    } else if (at->is_regular_file(failed) && !base.starts_with('.')) {
      found.files.push_back(at->path().string());
    }
  }
  std::sort(found.files.begin(), found.files.end());
  std::sort(found.imports.begin(), found.imports.end());
  return found;
}

/// What is left out of a folder, one row for each code of reader_of().
struct LeftOutSort {
  std::string_view code;
  std::string_view one, behind;  ///< "file", " of no known kind"
};
constexpr auto left_out_sorts = std::to_array<LeftOutSort>({
    {"E0390", "file", " of no known kind"},
    {"E0418", "tar archive", ""},
    {"E0391", "packed file", ""},
    {"E0392", "Parquet file", ""},
    {"E0396", "recording", " of a test tool"},
    {"", "earlier import", ""},
});

class LeftOut {
 public:
  explicit LeftOut(const std::vector<std::string>& imports) {
    for (const std::string& folder : imports) files_.push_back({"", folder, "an earlier import"});
  }

  /// Whether a file with that error stays out of a folder.
  bool takes(const InputError& error, const std::string& file) {
    const Diagnostic& found = error.diagnostics().front();
    const bool stays_out =
        std::any_of(left_out_sorts.begin(), left_out_sorts.end(),
                    [&](const LeftOutSort& sort) { return sort.code == found.code; });
    if (!stays_out) return false;
    const bool has_command = found.code != "E0390";
    files_.push_back(
        {found.code, file, found.message + (has_command ? "; " + found.help : std::string{})});
    return true;
  }

  /// With one warning for all of it, which names the files: no table does in an anonymous import.
  void report(const std::string& folder, History& history) const {
    if (files_.empty()) return;
    std::vector<std::string> counts;
    Diagnostic warning = about_trace(folder, "W0636", "", "", Severity::warning);
    for (const LeftOutSort& sort : left_out_sorts) {
      std::uint64_t count = 0;
      for (const File& file : files_) {
        if (file.code != sort.code) continue;
        ++count;
        history.files.push_back({.file = file.name, .kind = "left out"});
        if (warning.notes.size() < most_named) warning.notes.push_back(file.name + ": " + file.why);
      }
      if (count > 0) counts.push_back(fmt::format("{}{}", counted(count, sort.one), sort.behind));
    }
    if (const std::size_t more = files_.size() - warning.notes.size(); more > 0) {
      warning.notes.push_back(
          fmt::format("{} more; without --anonymize, import.md names all", more));
    }
    warning.message = fmt::format("left out of the folder: {}", fmt::join(counts, ", "));
    history.files.back().warnings.push_back(std::move(warning));
  }

 private:
  static constexpr std::size_t most_named = 20;
  struct File {
    std::string code, name, why;
  };
  std::vector<File> files_;
};

/// Adds what is wrong with a file, each thing once: options are wrong for all files.
void add_new(std::vector<Diagnostic>& all, const InputError& error) {
  for (const Diagnostic& found : error.diagnostics()) {
    const bool is_known = std::any_of(all.begin(), all.end(), [&](const Diagnostic& known) {
      return known.code == found.code && known.file == found.file &&
             known.position == found.position && known.message == found.message;
    });
    if (!is_known) all.push_back(found);
  }
}

FileReport skipped_file(const std::string& file, const InputError& error) {
  FileReport skipped{.file = file, .kind = "skipped"};
  for (Diagnostic found : error.diagnostics()) {
    found.severity = Severity::warning;
    skipped.warnings.push_back(std::move(found));
  }
  return skipped;
}

std::unique_ptr<std::istream> bytes_of(const std::string& file, const HistoryOptions& options) {
  const auto held = options.in_memory.find(file);
  if (held != options.in_memory.end()) return std::make_unique<std::istringstream>(held->second);
  return file == "-" ? std::make_unique<std::istream>(std::cin.rdbuf()) : open_file(file);
}

/// What a file adds to, to take it back if the file is damaged or refused.  Of a bill, nothing
/// reaches the history before all of it is read.
class Undo {
 public:
  explicit Undo(History& history)
      : history_{history},
        jobs_{history.jobs.size()},
        objects_{history.objects.size()},
        slurm_{history.slurm.size()},
        events_{history.events.size()},
        prices_{history.spot_prices.size()},
        runs_{history.runs.size()},
        newest_{history.newest} {}
  void take_back() {
    history_.jobs.cut(jobs_);
    history_.objects.erase(history_.objects.begin() + at(objects_), history_.objects.end());
    history_.slurm.cut(slurm_);
    for (std::size_t i = events_; i < history_.events.size(); ++i) {
      history_.event_ids.erase(history_.events[i].id);
    }
    history_.events.erase(history_.events.begin() + at(events_), history_.events.end());
    history_.spot_prices.erase(history_.spot_prices.begin() + at(prices_),
                               history_.spot_prices.end());
    history_.runs.erase(history_.runs.begin() + at(runs_), history_.runs.end());
    history_.newest = newest_;
  }

 private:
  static std::ptrdiff_t at(std::size_t place) { return static_cast<std::ptrdiff_t>(place); }
  History& history_;
  std::size_t jobs_, objects_, slurm_, events_, prices_, runs_;
  std::optional<policy::Instant> newest_;
};

/// Reads the file.  If that fails or gives nothing, the error names the kind that the file is of.
void read_as(const HistoryReader& reader, HistoryInput& input, const HistoryOptions& options,
             History& into) {
  try {
    reader.read(input, options, into);
  } catch (const InputError&) {
    refuse_other_kind(input.name, input.head, reader.name, reader.one_file);
    throw;
  }
  if (input.report.used > 0) return;
  refuse_other_kind(input.name, input.head, reader.name, reader.one_file);
}

}  // namespace

void read_history_stream(std::string name, std::unique_ptr<std::istream> stream,
                         const HistoryOptions& options, History& into) {
  std::string raw(head_bytes, '\0');
  stream->read(raw.data(), static_cast<std::streamsize>(raw.size()));
  raw.resize(static_cast<std::size_t>(stream->gcount()));
  std::string head = text_head(raw);
  const HistoryReader* reader = history_reader(options.as);
  if (reader == nullptr && !is_recognized(head) && is_empty_reply(head)) {
    into.files.push_back({.file = std::move(name), .kind = "empty", .bytes = head.size()});
    return;
  }
  if (reader == nullptr) reader = &reader_of(name, head);
  stream->clear();
  HistoryInput input{std::move(name),
                     std::make_unique<PrefixedStream>(std::move(raw), std::move(stream))};
  input.head = std::move(head);
  input.report.kind = reader->name;
  into.newest_of_file.reset();
  read_as(*reader, input, options, into);
  input.report.jobs_until = into.jobs.size();
  input.report.newest = into.newest_of_file;
  input.report.warnings = input.findings.warnings();
  into.files.push_back(std::move(input.report));
}

void add_to_history(const std::vector<std::string>& files, const HistoryOptions& options,
                    History& history) {
  std::vector<Diagnostic> wrong;
  for (const std::string& name : files) {
    const NamedFiles named = files_in(name);
    LeftOut left_out{named.imports};
    for (const std::string& file : named.files) {
      Undo undo{history};
      try {
        read_history_stream(file == "-" ? std::string{standard_input} : file,
                            bytes_of(file, options), options, history);
      } catch (const InputError& error) {
        if (named.is_folder && left_out.takes(error, file)) continue;
        undo.take_back();
        if (options.keep_going) {
          history.files.push_back(skipped_file(file, error));
        } else {
          add_new(wrong, error);
        }
      }
    }
    left_out.report(name, history);
  }
  if (wrong.empty()) return;
  if (!history.files.empty()) {
    wrong.back().notes.emplace_back("--keep-going reports such files, and imports the rest");
  }
  throw InputError{std::move(wrong)};
}

History read_history(const std::vector<std::string>& files, const HistoryOptions& options) {
  History history;
  add_to_history(files, options, history);
  sum_up_work(history, options.as_of);
  return history;
}

}  // namespace reeve::scenarios
