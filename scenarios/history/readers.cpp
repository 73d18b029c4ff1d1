#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <streambuf>

#include "scenarios/history/kinds.hpp"
#include "scenarios/history/reader.hpp"
#include "scenarios/records/market_reading.hpp"
#include "scenarios/text/foreign_file.hpp"
#include "scenarios/text/inflater.hpp"
#include "scenarios/text/quantity.hpp"
#include "scenarios/text/source.hpp"

namespace reeve::scenarios {
namespace {

constexpr std::size_t head_bytes = std::size_t{64} << 10;

constexpr std::array readers = std::to_array<HistoryReader>({
    sagemaker_reader,
    slurm_json_reader,
    cloudwatch_reader,
    spot_prices_reader,
    cloudtrail_reader,
    eventbridge_reader,
    aws_batch_reader,
    kubernetes_reader,
    prometheus_reader,
    slurm_reader,
    cur_reader,
    focus_reader,
    wandb_reader,
    mlflow_reader,
    nvidia_smi_reader,
    dcgmi_reader,
});

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

/// The first text of a file whose first bytes are `raw`, after gunzip.
std::string text_head(const std::string& raw) {
  std::string head(head_bytes, '\0');
  std::size_t have = 0;
  try {
    Inflater inflater{"", std::make_unique<std::istringstream>(raw), 2 * head_bytes};
    while (have < head.size()) {
      const std::size_t more = inflater.read(head.data() + have, head.size() - have);
      if (more == 0) break;
      have += more;
    }
  } catch (const InputError&) {  // gzip that is cut here; the reader tells what is damaged
  }
  head.resize(have);
  return head;
}

[[noreturn]] void refuse(std::string_view file, std::string_view code, std::string message,
                         std::string help) {
  throw InputError{about_trace(file, code, std::move(message), std::move(help))};
}

/// What no reader can read, and what to do with it.
void refuse_packed(std::string_view file, std::string_view head) {
  const std::string name{file};
  if (head.starts_with("PK\x03\x04")) {
    refuse(file, "E0391", "a zip archive",
           fmt::format("unzip -p {} | reeve import history -", name));
  }
  if (head.starts_with("\x28\xB5\x2F\xFD")) {
    refuse(file, "E0391", "packed by zstd",
           fmt::format("zstd -dc {} | reeve import history -", name));
  }
  if (head.starts_with("PAR1")) {
    refuse(file, "E0392", "a Parquet file",
           fmt::format("duckdb -c \"COPY (SELECT * FROM '{0}') TO '{0}.csv'\"", name));
  }
  if (head.find("\"status_code\"") != head.npos && head.find("\"data\"") != head.npos &&
      head.find("\"__class__\"") != head.npos) {
    refuse(file, "E0396", "a recording of a test tool (placebo)",
           "write the value of \"data\" to a file of its own");
  }
}

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

/// Reports what is left out of the folder `name`, with one warning for all of it.
void report_left_out(const std::string& name, const std::vector<std::string>& files,
                     const std::vector<std::string>& imports, History& history) {
  if (files.empty() && imports.empty()) return;
  std::vector<std::string> counts;
  if (!files.empty()) counts.push_back(counted(files.size(), "file") + " of no known kind");
  if (!imports.empty()) counts.push_back(counted(imports.size(), "earlier import"));
  std::vector<std::string> all = files;
  all.insert(all.end(), imports.begin(), imports.end());
  for (std::string& each : all) history.files.push_back({.file = each, .kind = "left out"});
  history.files.back().warnings.push_back(
      about_trace(name, "W0636", fmt::format("left out of the folder: {}", fmt::join(counts, ", ")),
                  "the table of files names them", Severity::warning));
}

std::unique_ptr<std::istream> bytes_of(const std::string& file, const HistoryOptions& options) {
  const auto held = options.in_memory.find(file);
  if (held != options.in_memory.end()) return std::make_unique<std::istringstream>(held->second);
  return file == "-" ? std::make_unique<std::istream>(std::cin.rdbuf()) : open_file(file);
}

bool is_recognized(std::string_view head) {
  return std::any_of(readers.begin(), readers.end(),
                     [&](const auto& reader) { return reader.recognizes(head); });
}

/// A reply of an API without any record: `{"Events": []}`.
bool is_empty_reply(std::string_view head) {
  constexpr std::size_t longest = 8192;
  if (head.size() > longest) return false;
  const auto reply = nlohmann::json::parse(head, nullptr, false);
  if (reply.is_array()) return reply.empty();
  bool has_list = false;
  if (!reply.is_object()) return false;
  for (auto member = reply.begin(); member != reply.end(); ++member) {
    if (member->is_array() && !member->empty()) return false;
    has_list |= member->is_array();
  }
  return has_list;
}

/// What a file adds to, to take it back if the file turns out to be damaged.
class Undo {
 public:
  explicit Undo(History& history)
      : history_{history},
        jobs_{history.jobs.size()},
        objects_{history.objects.size()},
        events_{history.events.size()},
        prices_{history.spot_prices.size()},
        runs_{history.runs.size()} {}
  void take_back() {
    history_.jobs.cut(jobs_);
    history_.objects.erase(history_.objects.begin() + at(objects_), history_.objects.end());
    history_.events.erase(history_.events.begin() + at(events_), history_.events.end());
    history_.spot_prices.erase(history_.spot_prices.begin() + at(prices_),
                               history_.spot_prices.end());
    history_.runs.erase(history_.runs.begin() + at(runs_), history_.runs.end());
  }

 private:
  static std::ptrdiff_t at(std::size_t place) { return static_cast<std::ptrdiff_t>(place); }
  History& history_;
  std::size_t jobs_, objects_, events_, prices_, runs_;
};

using CostOfJobs = std::map<std::string, std::int64_t>;

CostOfJobs costs_of(const Bill& bill) {
  CostOfJobs costs;
  for (const BilledUse& use : bill.uses) {
    if (!use.job.empty()) costs[use.job] += use.cost.nanos;
  }
  return costs;
}

bool is_bill(std::string_view kind) {
  return kind == "focus" || kind == "cur";
}

bool has_other_form(const History& history, std::string_view kind) {
  return is_bill(kind) &&
         std::any_of(history.files.begin(), history.files.end(),
                     [&](const auto& file) { return is_bill(file.kind) && file.kind != kind; });
}

/// A bill in two forms must not be added up: `before` are the costs without the second.
void refuse_both_forms(std::string_view file, const CostOfJobs& before, const Bill& bill) {
  for (const auto& [job, cost] : costs_of(bill)) {
    const auto known = before.find(job);
    if (known == before.end() || known->second == cost) continue;
    refuse(file, "E0415", fmt::format("job {} is in a bill of another form too", in_quotes(job)),
           "import FOCUS or the Cost and Usage Report, not both");
  }
}

}  // namespace

std::span<const HistoryReader> history_readers() {
  return readers;
}

const HistoryReader* history_reader(std::string_view name) {
  const auto found = std::find_if(readers.begin(), readers.end(),
                                  [&](const auto& reader) { return reader.name == name; });
  return found == readers.end() ? nullptr : &*found;
}

const HistoryReader& reader_of(std::string_view file, std::string_view head) {
  refuse_packed(file, head);
  const auto found = std::find_if(readers.begin(), readers.end(),
                                  [&](const auto& reader) { return reader.recognizes(head); });
  if (found != readers.end()) return *found;
  const auto foreign = foreign_file(head, FileUse::jobs);
  refuse(file, "E0390",
         foreign ? fmt::format("this is {}, not an export that reeve joins", foreign->what)
                 : std::string{"not an export that reeve knows"},
         foreign ? std::string{foreign->help}
                 : "--as KIND reads it as a kind of file; reeve help import lists the kinds");
}

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
  const bool is_second = has_other_form(into, reader->name);
  const CostOfJobs billed = is_second ? costs_of(into.bill) : CostOfJobs{};
  const std::size_t before = into.jobs.size();
  reader->read(input, options, into);
  if (is_second) refuse_both_forms(input.name, billed, into.bill);
  const auto see = [&](HistoryJob& job) {
    job.seen = into.newest_of_file;
    return true;
  };
  into.jobs.rewrite(see, before);
  input.report.newest = into.newest_of_file;
  input.report.warnings = input.findings.warnings();
  into.files.push_back(std::move(input.report));
}

void add_to_history(const std::vector<std::string>& files, const HistoryOptions& options,
                    History& history) {
  for (const std::string& name : files) {
    const NamedFiles named = files_in(name);
    std::vector<std::string> left_out;
    for (const std::string& file : named.files) {
      Undo undo{history};
      try {
        read_history_stream(file == "-" ? "standard input" : file, bytes_of(file, options), options,
                            history);
      } catch (const InputError& error) {
        if (named.is_folder && error.diagnostics().front().code == "E0390") {
          left_out.push_back(file);
          continue;
        }
        if (!options.keep_going) throw;
        undo.take_back();
        FileReport skipped{.file = file, .kind = "skipped"};
        for (Diagnostic found : error.diagnostics()) {
          found.severity = Severity::warning;
          skipped.warnings.push_back(std::move(found));
        }
        history.files.push_back(std::move(skipped));
      }
    }
    report_left_out(name, left_out, named.imports, history);
  }
}

History read_history(const std::vector<std::string>& files, const HistoryOptions& options) {
  History history;
  add_to_history(files, options, history);
  sum_up_work(history, options.as_of);
  return history;
}

}  // namespace reeve::scenarios
