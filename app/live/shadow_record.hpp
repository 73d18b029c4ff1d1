// The directory of a shadow run, written while it runs: a kill costs at most the last step.
//
//   configuration.jsonc  a copy of the live configuration
//   events.jsonl         each event, and when reeve got it; `live shadow --from` reads it
//   metrics.csv          the GPU utilization that its alarms saw, if there are any
//   journal.txt          all that was observed and decided, as the host writes it
//   proposals.jsonl      what the rules would do
//   status.json          how the run stands, replaced every few seconds
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/live/proposals.hpp"
#include "app/live/rule_run.hpp"
#include "live/events/recording_lines.hpp"
#include "report/file_stream.hpp"

namespace reeve::app {

class ShadowRecord {
 public:
  /// Creates the directory.  Throws UsageError if it exists and is not empty: no record is
  /// overwritten.  `rules` must outlive the record, which keeps its journal and events from now on.
  ShadowRecord(const std::string& directory, RuleRun& rules, const std::string& configuration);
  ~ShadowRecord();
  ShadowRecord(const ShadowRecord&) = delete;
  ShadowRecord& operator=(const ShadowRecord&) = delete;

  /// `intake`: what was taken, for people.
  void describe_intake(std::function<std::string()> intake) { intake_ = std::move(intake); }
  void note_trouble(const live::FailedCall& failed);
  void take_sample(const std::string& host, policy::Instant minute, double percent);
  /// Writes what is new, and the status if it is a few seconds old.  Throws std::runtime_error
  /// naming the file that cannot be written.
  void keep();
  /// The same with the status, before a pause.
  void keep_all();
  /// Writes all.  `state`: "ended", "interrupted" or "failed".
  void end(std::string_view state);

 private:
  using Clock = std::chrono::steady_clock;

  std::unique_ptr<report::FileStream> open(const char* name) const;
  void write_proposals();
  void write_status(std::string_view state) const;

  std::filesystem::path directory_;
  RuleRun& rules_;
  std::unique_ptr<report::FileStream> journal_;
  std::unique_ptr<report::FileStream> events_;
  live::RecordingWriter recording_;
  std::unique_ptr<report::FileStream> proposals_;
  std::unique_ptr<report::FileStream> metrics_;  ///< from the first sample on
  std::size_t written_ = 0;                      ///< proposals
  std::function<std::string()> intake_;
  std::optional<live::FailedCall> trouble_;
  std::string trouble_at_;
  std::string started_;
  std::string folder_;  ///< of the configuration, which may name files there
  bool has_ended_ = false;
  Clock::time_point stated_;
};

/// When that process began, in the ticks of the kernel; 0: it does not run.  A number alone may be
/// that of another process by now.
std::uint64_t process_start(std::uint64_t process);

/// A record as it stands, also of a run that goes on.
struct RecordedShadow {
  nlohmann::ordered_json status;
  std::vector<Proposal> proposals;
};

/// Throws UsageError if the directory is no record.  A last line that is incomplete is left out.
RecordedShadow read_shadow_record(const std::string& directory);

}  // namespace reeve::app
