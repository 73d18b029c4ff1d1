// What rules share that judge an attempt once, at its start, by what it was submitted with.
#pragma once

#include <reeve/policy/options.hpp>
#include <string_view>
#include <vector>

#include "ladder.hpp"

namespace reeve::policies {

/// What such a rule remembers of a job.
struct Judgement {
  policy::Instant act_at = policy::never;
  policy::AttemptNumber started = 0;  ///< newest attempt that was seen to have instances
  policy::AttemptNumber judged = 0;   ///< newest attempt that was looked at
};

/// Stops an attempt that does not comply, or sends a message, when it is observed at Starting or
/// any later status.
class ComplianceRule : public LadderRule<Judgement> {
 protected:
  /// `reason`: static text.
  ComplianceRule(const policy::Options& options, std::string_view reason);

  /// What of the newest attempt's description does not comply; empty: all of it does.
  virtual std::string defect(policy::JobId job, const policy::FleetView& fleet) const = 0;

 private:
  void look_at(policy::JobId job, const policy::Step& step, policy::Decisions& out) final;
  void forget(Judgement& row, policy::AttemptNumber attempt) final;
  void judge(policy::JobId job, const policy::Step& step, policy::Decisions& out);

  policy::Duration latency_;
  std::string_view reason_;
};

/// The rows of the option table that all of them have, after those of the rule itself.
std::vector<policy::OptionSpec> with_compliance_options(std::vector<policy::OptionSpec> own);

}  // namespace reeve::policies
