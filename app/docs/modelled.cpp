#include "app/docs/modelled.hpp"

#include <array>
#include <reeve/policy/known_options.hpp>
#include <span>
#include <variant>

#include "policies/wording.hpp"
#include "scenarios/load/resolved/seat_needs.hpp"

namespace reeve::app {
namespace {

namespace known = policy::known;

/// Which options set what the AWS Batch User Guide leaves open of quota shares and of fair share.
std::span<const std::string_view> left_open(const scenarios::SeatSpec& seat) {
  static constexpr std::array<std::string_view, 3> of_quota_shares{
      known::victims, known::blocked_borrower, known::lowered_quota};
  static constexpr std::array<std::string_view, 1> of_fair_share{known::share_decay};
  if (!scenarios::is_scheduler(*seat.kind) || seat.mode != host::Mode::enforce) return {};
  const std::string& algorithm = seat.options.text(known::algorithm);
  if (algorithm == "quota") return of_quota_shares;
  if (algorithm == "fair_share") return of_fair_share;
  return {};
}

std::string value_text(const policy::OptionValue& value) {
  const auto* length = std::get_if<policy::Duration>(&value);
  return length != nullptr ? policies::length_text(*length) : std::get<std::string>(value);
}

}  // namespace

std::vector<Modelled> modelled(const scenarios::PolicySpec& policy) {
  std::vector<Modelled> all;
  for (const scenarios::SeatSpec& seat : policy.seats) {
    for (const std::string_view option : left_open(seat)) {
      all.push_back({option, value_text(seat.options.value(option))});
    }
  }
  return all;
}

std::string modelled_note(const scenarios::PolicySpec& policy) {
  std::string note;
  for (const Modelled& one : modelled(policy)) {
    note += note.empty() ? policy.name + ": modeled, because AWS publishes no rule: " : "; ";
    note += std::string{one.option} + ' ' + one.value;
  }
  return note;
}

}  // namespace reeve::app
