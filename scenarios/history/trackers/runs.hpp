// Runs of experiment trackers: which setting of a run names its job.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "scenarios/history/reading/reader.hpp"

namespace reeve::scenarios {

/// Collects the runs of a file.
class RunList {
 public:
  RunList(HistoryInput& input, const HistoryOptions& options, History& into)
      : input_{input}, wanted_{options.join}, into_{into} {}

  /// The settings of the run at hand, one after another.  `name` has no "config." in front;
  /// `group` is where it stands: "config", "tags", "params".
  void setting(std::string_view group, std::string_view name, std::string_view value);
  /// The same of all members of an object; W&B wraps a value as {"value": ...}.
  void settings(std::string_view group, const nlohmann::json& object);

  /// Ends the run at hand.  `state` is the tracker's word.  A run without an id is a finding.
  void add(TrackedRun run, std::string_view state, std::uint64_t line);

  void miss_page(std::uint64_t line);

  /// Throws InputError E0411 if no run has the setting that the options name.
  void finish();

 private:
  HistoryInput& input_;
  std::string wanted_;
  History& into_;
  std::string job_;        ///< of the run at hand
  std::size_t rank_ = 0;   ///< of the setting that names it; smaller is better
  bool is_known_ = false;  ///< some run has the setting
  std::uint64_t runs_ = 0, joined_ = 0;
  std::set<std::string> seen_;  ///< settings, to suggest one
};

/// Whether a file begins as JSON.
bool is_run_json(std::string_view head);

/// Seconds or milliseconds since 1970, or a date; UTC if it has no offset.
std::optional<policy::Instant> run_time(std::string_view text);
std::optional<policy::Instant> run_time_at(const nlohmann::json& object, std::string_view key);

}  // namespace reeve::scenarios
