// What rules share that put an alarm on each job while it trains, and act when it goes off.
#pragma once

#include <cstdint>
#include <memory>
#include <reeve/policy/options.hpp>
#include <reeve/policy/policy.hpp>
#include <string_view>

namespace reeve::policies {

/// What a stop that is due some time after the alarm does if the alarm has ended by then.
enum class IfOver : std::uint8_t { stop, leave };

/// What an alarm that goes off says of the job.
struct Accusation {
  std::string_view reason;  ///< static text
  policy::StopCause cause = policy::StopCause::rule_broken;
  IfOver if_over = IfOver::stop;
  policy::FoundBy found_by = policy::FoundBy::job_name;
};

/// `options`: all that `stalled_gpu` has, by those names.
std::unique_ptr<policy::Policy> watch_by_alarm(const policy::Options& options,
                                               const Accusation& accusation);

}  // namespace reeve::policies
