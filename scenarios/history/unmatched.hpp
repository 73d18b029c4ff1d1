// Why a part of a bill belongs to no job of a history.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "scenarios/history/data/history.hpp"
#include "scenarios/history/data/text_table.hpp"

namespace reeve::scenarios {

enum class Unmatched : std::uint8_t {
  no_resource,
  no_job,  ///< a resource of another sort
  other_region,
  other_account,
  too_early,
  unknown_name,
  credit,  ///< less than nothing: a credit, or a refund
};
/// "no job of this name".
std::string_view text_of(Unmatched reason);

/// Finds the reason of a use that no job has.
class UnmatchedUses {
 public:
  /// `zero`: the first submission.
  UnmatchedUses(const PackedJobs& jobs, policy::Instant zero);
  Unmatched reason(const BilledUse& use) const;
  /// The reason, with the region or account of the job.
  std::string explain(const BilledUse& use) const;

 private:
  /// The ARN of the job of that name, the first of several; empty: none.
  std::string arn_of(std::string_view name) const;

  const PackedJobs& jobs_;
  policy::Instant zero_;
  TextTable by_name_;
};

}  // namespace reeve::scenarios
