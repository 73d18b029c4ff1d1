#include "app/history/fetched_history.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "app/files/text_file.hpp"
#include "app/live/account.hpp"
#include "app/study/interruption.hpp"
#include "app/usage_error.hpp"
#include "live/history/account_history.hpp"
#include "report/display_width.hpp"
#include "report/gzip_stream.hpp"
#include "scenarios/history/aws/kept_reply.hpp"
#include "scenarios/records/market_reading.hpp"
#include "scenarios/text/quantity.hpp"

namespace reeve::app {
namespace {

namespace fs = std::filesystem;
using std::chrono::days;

constexpr days kept_by_aws{90};  // events of CloudTrail, Spot prices
constexpr const char* gzip_comment = "reeve import history";

std::string dumped(const nlohmann::json& value) {
  return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// Replies one after another, in gzip.
class ReplyFile {
 public:
  /// A record a line, so that warnings can name it.
  void add(const nlohmann::json& reply) {
    char before = '{';
    for (const auto& [key, value] : reply.items()) {
      packed_ << std::exchange(before, ',') << dumped(key) << ':';
      if (!value.is_array()) {
        packed_ << dumped(value);
        continue;
      }
      std::string_view between = "[\n";
      for (const nlohmann::json& record : value) {
        packed_ << std::exchange(between, ",\n") << dumped(record);
      }
      packed_ << (value.empty() ? "[]" : "]");
    }
    packed_ << "}\n";
  }
  std::string take() {
    packed_.finish();
    return std::move(bytes_).str();
  }

 private:
  std::ostringstream bytes_;
  report::GzipStream packed_{bytes_, gzip_comment};
};

std::string file_of_part(std::string_view part) {
  return std::string{part} + ".json.gz";
}

scenarios::Diagnostic missing_part(std::string message, std::string help) {
  return scenarios::about_trace("AWS", "W0614", std::move(message), std::move(help),
                                scenarios::Severity::warning);
}

/// The replies of an account, part by part.
class Fetch {
 public:
  Fetch(Account& account, policy::Duration span, const Console& console)
      : console_{console},
        shows_{console.watched() && !console.quiet},
        reading_{account.client(),
                 account.clock(),
                 {},
                 account.now(),
                 [this](std::string_view part, const nlohmann::json& reply, std::size_t records) {
                   take(part, reply, records);
                 }} {
    // From midnight, as export-plan.
    reading_.since = std::chrono::floor<days>(reading_.now - span);
    fetched_.since = reading_.since;
    fetched_.at = std::chrono::floor<std::chrono::seconds>(reading_.now);
  }

  FetchedHistory read() {
    auto read = live::read_jobs(reading_);
    if (interrupted_) return interrupted();
    if (const auto* failed = std::get_if<live::FailedCall>(&read)) {
      clear_line();
      give_up(*failed);
    }
    const auto& jobs = std::get<live::KeptJobs>(read);
    tell_of_jobs(jobs);
    tell("who stopped a job is not known", [&] { return live::read_trail(reading_); });
    tell("no verdict of rules on GPU alarms",
         [&] { return live::read_utilization(reading_, jobs.started); });
    tell("Spot prices are not known", [&] { return live::read_spot_prices(reading_, jobs.types); });
    tell("jobs of AWS Batch are not in it", [&] { return live::read_batch_jobs(reading_); });
    clear_line();
    if (interrupted_) return interrupted();
    for (auto& [part, file] : files_) {
      fetched_.files[file_of_part(part)] = file->take();
    }
    return std::move(fetched_);
  }

 private:
  FetchedHistory interrupted() const { return {{}, {}, fetched_.since, fetched_.at, true}; }

  void take(std::string_view part, const nlohmann::json& reply, std::size_t records) {
    if (records == 0) return;
    std::unique_ptr<ReplyFile>& file = files_[std::string{part}];
    if (!file) file = std::make_unique<ReplyFile>();
    file->add(kept(part, reply));
    if (part != part_) read_ = 0;
    part_ = part;
    read_ += records;
    if (shows_) console_.complain(fmt::format("\r\x1b[Kread from AWS: {} {}", part, read_));
  }

  /// What the readers use of it, and when reeve asked, which a job that runs does not tell.
  nlohmann::json kept(std::string_view part, const nlohmann::json& reply) const {
    const bool has_jobs = part == "jobs" || part == "batch";
    const std::string_view kind = part == "jobs"    ? "sagemaker"
                                  : part == "batch" ? "aws-batch"
                                                    : part;
    nlohmann::json kept = scenarios::kept_reply(kind, reply);
    if (has_jobs) kept[std::string{scenarios::fetched_at}] = scenarios::show(fetched_.at);
    return kept;
  }

  void clear_line() const {
    if (shows_) console_.complain("\r\x1b[K");
  }

  template <class Read>
  void tell(std::string_view lacks, const Read& read) {
    if (interrupted_) return;
    if (const auto failed = read()) note(*failed, lacks);
  }

  /// The text of AWS names people and accounts: it is shown and not kept.
  void note(const live::FailedCall& failed, std::string_view lacks) {
    if (interrupted_) return;
    const bool is_refused = live::is_denied(failed.error);
    fetched_.warnings.push_back(missing_part(
        fmt::format("{} {}: {}; {}", failed.action, is_refused ? "is not allowed" : "failed",
                    report::printable(failed.error.code), lacks),
        hint_for(failed)));
    clear_line();
    console_.detail(report::printable(failed.error.message) + '\n');
  }

  void tell_of_jobs(const live::KeptJobs& jobs) {
    if (jobs.search) note(*jobs.search, "each job was described instead");
    if (jobs.tags) note(*jobs.tags, "tags are not known");
    if (jobs.unread == 0) return;
    fetched_.warnings.push_back(
        missing_part(fmt::format("sagemaker:DescribeTrainingJob is not allowed for {}",
                                 scenarios::counted(jobs.unread, "job")),
                     "allow it for all training jobs"));
  }

  const Console& console_;
  bool shows_;
  const std::atomic<bool>& interrupted_ = interruption();
  live::HistoryReading reading_;
  std::map<std::string, std::unique_ptr<ReplyFile>> files_;  ///< by part
  std::string part_;                                         ///< under way
  std::size_t read_ = 0;                                     ///< its records
  FetchedHistory fetched_;
};

}  // namespace

policy::Duration span_from_aws(const std::string& written) {
  constexpr days longest{3650};
  const auto span = scenarios::parse_duration(written);
  if (!span || *span < days{1} || *span > longest) {
    throw UsageError{
        "--from-aws takes a time from 1d to 3650d, not " + scenarios::in_quotes(written),
        "write --from-aws 90d"};
  }
  return *span;
}

FetchedHistory fetch_history(policy::Duration span, bool has_others, const Console& console) {
  Account account{{}};
  FetchedHistory fetched = Fetch{account, span, console}.read();
  const scenarios::RenderStyle style{.colour = console.colour_err(), .columns = 100};
  if (span > kept_by_aws && !fetched.interrupted) {
    fetched.warnings.push_back(
        missing_part("CloudTrail and EC2 keep 90 days: stops and Spot prices begin there",
                     "import files of earlier exports as well"));
  }
  console.note(scenarios::render(fetched.warnings, style));
  const bool has_jobs =
      fetched.files.contains(file_of_part("jobs")) || fetched.files.contains(file_of_part("batch"));
  if (!has_jobs && !has_others && !fetched.interrupted) {
    throw scenarios::InputError{scenarios::about_trace(
        "AWS", "E0427",
        fmt::format("no job since {} in account {} and region {}", scenarios::show(fetched.since),
                    account.id(), account.region()),
        "check AWS_PROFILE and AWS_REGION")};
  }
  return fetched;
}

fs::path write_replies(const FetchedHistory& fetched, const fs::path& folder) {
  fs::create_directories(folder);
  fs::permissions(folder, fs::perms::owner_all);
  std::string name = scenarios::show(fetched.at);  // without colons, for any file system
  name.erase(std::remove(name.begin(), name.end(), ':'), name.end());
  fs::path place = folder / name;
  for (int nth = 2; !fs::create_directory(place); ++nth) {
    place = folder / fmt::format("{}-{}", name, nth);
  }
  fs::permissions(place, fs::perms::owner_all);
  for (const auto& [file, bytes] : fetched.files) {
    write_text_file(place / file, bytes);
    fs::permissions(place / file, fs::perms::owner_read | fs::perms::owner_write);
  }
  return place;
}

}  // namespace reeve::app
