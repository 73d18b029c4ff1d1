#include "scenarios/history/not_in_the_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "scenarios/text/quantity.hpp"

namespace reeve::scenarios {

void NotInTheData::note(const ImportedJob& job) {
  const EndStatus end = job.end_status;
  running_ += end == EndStatus::running ? 1U : 0U;
  never_started_ += end == EndStatus::never_started ? 1U : 0U;
  waiting_ += end == EndStatus::pending ? 1U : 0U;
  const bool ran = end != EndStatus::never_started && end != EndStatus::pending;
  on_spot_ += ran && job.market == policy::Market::spot ? 1U : 0U;
}

void NotInTheData::tell(const History& history, std::vector<std::string>& lines) const {
  if (history.bill.uses.empty())
    lines.emplace_back("no bill: dollars are list prices, or 1 per hour where none is known");
  if (history.series.empty()) {
    lines.emplace_back("no utilization: no verdict of rules on GPU alarms");
  }
  const bool has_trail =
      std::any_of(history.files.begin(), history.files.end(),
                  [](const FileReport& file) { return file.kind == "cloudtrail"; });
  if (!has_trail) lines.emplace_back("no CloudTrail: who stopped a job is not known");
  lines.emplace_back("progress reports: no verdict of rules on them");
  tell_ends(lines);
}

void NotInTheData::tell_ends(std::vector<std::string>& lines) const {
  const auto add = [&](std::uint64_t count, std::string_view what, std::string_view assumed) {
    if (count == 0) return;
    lines.push_back(fmt::format("{} of {}: {}", what, counted(count, "job"), assumed));
  };
  add(running_, "the end", "still running, and the replay ends them at the export");
  add(never_started_, "the work", "never started, and the replay leaves them out");
  add(waiting_, "the work", "still waiting, and the replay leaves them out");
  if (on_spot_ == 0) return;
  lines.emplace_back(
      "interruptions of Spot that other runs would meet: the replay has none; \"reclaim\" of its "
      "fleet adds them");
}

}  // namespace reeve::scenarios
