// An example of a plug-in: a rule that notifies when a job can no longer meet its deadline.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <reeve/policy/options.hpp>
#include <reeve/policy/plugin.hpp>
#include <reeve/policy/policy.hpp>
#include <variant>
#include <vector>

namespace deadline_risk {
namespace {

using namespace reeve::policy;

constexpr std::string_view kReason = "can no longer be done by its deadline";

/// Says so once for each attempt: at the last instant at which its training had to begin.
class DeadlineRisk final : public Policy {
 public:
  explicit DeadlineRisk(const Options& options) : margin_{options.duration("margin")} {}

  void decide(const Step& step, Decisions& out) override {
    for (const Observation& seen : step.observed) {
      if (const auto* submitted = std::get_if<JobSubmitted>(&seen.fact)) {
        watch(submitted->job, step.fleet, out);
      } else if (const auto* timer = std::get_if<TimerFired>(&seen.fact)) {
        look_at(JobId{static_cast<std::uint32_t>(timer->key)}, step, out);
      }
    }
  }

 private:
  /// Asks to be woken when it is too late, at once if it is already; a repeated submission arms the
  /// same timer again.
  void watch(JobId job, const FleetView& fleet, Decisions& out) {
    const JobDescription& description = fleet.description(job);
    if (description.deadline == Duration::max()) return;
    const Duration slack = description.deadline - description.expected_work - margin_;
    out.wake_at(job.index, later(description.submitted_at, std::max(slack, Duration{0})));
  }

  void look_at(JobId job, const Step& step, Decisions& out) {
    const JobStatus& status = step.fleet.status(job);
    const bool trains = status.training_since <= step.now;
    if (trains || is_terminal(status.primary) || told_[job] >= status.attempt) return;
    told_[job] = status.attempt;
    out.propose(Notify{job, status.attempt}, kReason);
  }

  Duration margin_;
  std::map<JobId, AttemptNumber> told_;
};

std::unique_ptr<Policy> make(const Options& options) {
  return std::make_unique<DeadlineRisk>(options);
}

std::vector<VerbKind> verbs(const Options& /*options*/) {
  return {VerbKind::notify};
}

}  // namespace

PolicyKind kind() {
  return {
      .name = "deadline_risk",
      .summary = "notifies when a job can no longer meet its deadline",
      .source = "the worked example of docs/how-to/write-a-plugin.md",
      .options = {{.name = "margin",
                   .type = OptionType::duration,
                   .unit = "",
                   .default_json = R"("0s")",
                   .min = 0,
                   .choices = {},
                   .help = "so much earlier than at the last moment"}},
      .never_stops = true,
      .verbs = verbs,
      .make = make,
  };
}

}  // namespace deadline_risk

REEVE_POLICY_PLUGIN(deadline_risk::kind())
