// A rule that reads what training scripts report: no kind of the registry does yet.
#pragma once

#include <cmath>
#include <memory>
#include <reeve/policy/options.hpp>

#include "scenarios/load/keys/scenario.hpp"

namespace reeve::tests {

/// Stops a first attempt whose loss is no number.
class ReportReader final : public policy::Policy {
 public:
  void decide(const policy::Step& step, policy::Decisions& out) override {
    for (const policy::Observation& seen : step.observed) {
      const auto* report = std::get_if<policy::TrainingReported>(&seen.fact);
      if (report == nullptr || report->attempt > 1 || !std::isnan(report->loss)) continue;
      out.propose(policy::StopJob{report->job, report->attempt}, "the loss is no number");
    }
  }
};

/// Its seat, after all that are written down.
inline scenarios::SeatSpec report_reader() {
  static const policy::PolicyKind kind = [] {
    policy::PolicyKind made;
    made.name = "report_reader";
    made.reads_reports = true;
    made.make = [](const policy::Options&) -> std::unique_ptr<policy::Policy> {
      return std::make_unique<ReportReader>();
    };
    return made;
  }();
  scenarios::SeatSpec seat;
  seat.label = "report_reader";
  seat.kind = &kind;
  seat.priority = -1'000;
  return seat;
}

}  // namespace reeve::tests
