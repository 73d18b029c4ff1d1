#include "scenarios/history/unmatched.hpp"

#include <fmt/format.h>

#include <array>

#include "scenarios/text/aws_names.hpp"

namespace reeve::scenarios {
namespace {

constexpr auto reasons = std::to_array<std::string_view>({
    "rows without a resource",
    "not of a training job",
    "the job is in another region",
    "the job is in another account",
    "before the first job",
    "no job of this name",
    "a credit above the cost",
});

constexpr std::size_t region_part = 3, account_part = 4;

}  // namespace

std::string_view text_of(Unmatched reason) {
  return reasons[static_cast<std::size_t>(reason)];
}

UnmatchedUses::UnmatchedUses(const PackedJobs& jobs, policy::Instant zero)
    : jobs_{jobs}, zero_{zero} {
  for (std::size_t place = 0; place < jobs.size(); ++place) by_name_.add(jobs.name(place), place);
}

std::string UnmatchedUses::arn_of(std::string_view name) const {
  const auto place = by_name_.find(name, [&](std::size_t at) { return jobs_.name(at) == name; });
  return place ? jobs_.at(*place).resource : std::string{};
}

Unmatched UnmatchedUses::reason(const BilledUse& use) const {
  if (use.cost.nanos < 0) return Unmatched::credit;
  if (use.job.empty()) return use.resource.empty() ? Unmatched::no_resource : Unmatched::no_job;
  const std::string arn = arn_of(use.job);
  const auto differs = [&](std::size_t part) {
    const std::string_view have = part_of_arn(use.resource, part), known = part_of_arn(arn, part);
    return !have.empty() && !known.empty() && have != known;
  };
  if (differs(region_part)) return Unmatched::other_region;
  if (differs(account_part)) return Unmatched::other_account;
  return use.last && *use.last < zero_ ? Unmatched::too_early : Unmatched::unknown_name;
}

std::string UnmatchedUses::explain(const BilledUse& use) const {
  const Unmatched why = reason(use);
  if (why != Unmatched::other_region && why != Unmatched::other_account) {
    return std::string{text_of(why)};
  }
  const std::string arn = arn_of(use.job);
  return fmt::format("{} ({})", text_of(why),
                     part_of_arn(arn, why == Unmatched::other_region ? region_part : account_part));
}

}  // namespace reeve::scenarios
