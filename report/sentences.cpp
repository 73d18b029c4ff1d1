#include "report/sentences.hpp"

#include <array>

#include "report/format.hpp"

namespace reeve::report {
namespace {

policy::Usd size_of(policy::Usd amount) {
  return amount < policy::Usd{} ? -amount : amount;
}

/// "11.25" of instance-nanoseconds, to the hundredth.
std::string hours(models::Charge time) {
  constexpr models::Charge hour = models::Charge{3'600'000'000'000};
  std::string text = percent(time, hour * 100, 2);  // hours are percents of a hundred hours
  text.erase(text.size() - 2);
  return text;
}

bool machines_cost_the_same(const Comparison& that) {
  return !that.reserved && that.saved == policy::Usd{} && that.interval.is_exact();
}

/// By as much as is printed.
bool guardrails_differ(const Comparison& that) {
  return money(size_of(that.guardrails_saved)) != money(policy::Usd{});
}

std::string recovered_text(const Comparison& that) {
  const bool gained = that.recovered >= 0;
  const models::Charge size = gained ? that.recovered : -that.recovered;
  if (hours(size) == "0.00" && that.recovered_interval.is_exact())
    return " recovers no reserved capacity";
  std::string text = (gained ? " recovers " : " loses ") + hours(size);
  const auto signed_hours = [](models::Charge time) {
    return time < 0 ? "\u2212" + hours(-time) : hours(time);
  };
  text += reach_text(size, that.recovered_interval, signed_hours);
  text += " instance-hours of reserved capacity";
  if (!that.recovered_interval.excludes_zero(size)) text += not_significant;
  return text;
}

/// Whether the interval excludes 0.
bool is_significant(const Comparison& that) {
  return that.interval.excludes_zero(size_of(that.saved));
}

std::string effect(const Comparison& that) {
  if (that.reserved) return recovered_text(that);
  if (machines_cost_the_same(that)) {
    if (!guardrails_differ(that)) return " costs the same";
    return " costs the same in instances and " + money(size_of(that.guardrails_saved)) +
           (that.guardrails_saved > policy::Usd{} ? " less" : " more") +
           " in alarms, calls and messages";
  }
  const bool saves = that.saved >= policy::Usd{};
  const bool undone = !that.undone.empty();  // then less is spent, nothing is saved
  const bool significant = is_significant(that);
  std::string text = (!saves         ? " costs "
                      : undone       ? " spends "
                      : !significant ? " costs "
                                     : " saves ") +
                     money(size_of(that.saved));
  text += reach_text(size_of(that.saved), that.interval, money);
  text += !saves ? " more" : undone || !significant ? " less" : " of " + money(that.spent);
  if (!significant) text += not_significant;
  return text;
}

}  // namespace

std::string sentence(const Comparison& comparison) {
  const bool undone = !comparison.undone.empty();
  std::string text =
      undone ? "under " + comparison.policy + ' ' + comparison.undone + "; it" : comparison.policy;
  text += effect(comparison);
  const bool same = machines_cost_the_same(comparison);
  const bool same_cost = same && !guardrails_differ(comparison);
  const bool costs = !comparison.reserved && (undone || same || comparison.saved < policy::Usd{} ||
                                              !is_significant(comparison));
  std::string link = same_cost ? " as " : costs ? " than " : " against ";
  if (comparison.sooner && *comparison.sooner != policy::Duration{0}) {
    text += " and finishes " + sooner_or_later(*comparison.sooner, comparison.sooner_interval);
    link = " than ";
  }
  text += link + comparison.baseline;
  if (comparison.runs > 1) text += ", over " + count(comparison.runs) + " paired runs";
  return text + '.';
}

std::string sooner_or_later(policy::Duration sooner, const Reach<policy::Duration>& interval) {
  const policy::Duration size = std::chrono::abs(sooner);
  std::string text = duration(size) + reach_text(size, interval, duration);
  text += sooner > policy::Duration{0} ? " sooner" : " later";
  if (!interval.excludes_zero(size)) text += not_significant;
  return text;
}

std::string waste_note(std::string_view policy, const models::UseCharges& uses,
                       std::string_view drain) {
  using models::Use;
  struct Part {
    Use use;
    std::string_view words;
  };
  const std::array parts{Part{Use::stalled, "stalled"},
                         Part{Use::lost_work, "lost work"},
                         Part{Use::drain, drain},
                         Part{Use::orphan, "orphan"},
                         Part{Use::idle_reserved, "idle reserved"},
                         Part{Use::false_stop, "false stops"}};
  const auto amounts = models::apportion(uses);
  CentRounding cents;
  std::string text;
  for (const Part& part : parts) {
    const policy::Usd amount = cents.next(amounts[static_cast<std::size_t>(part.use)]);
    if (amount == policy::Usd{}) continue;
    text += text.empty() ? "wasted, " + std::string{policy} + ": " : std::string{" + "};
    text += std::string{part.words} + ' ' + money(amount);
  }
  return text;
}

std::string expectations(std::uint64_t held, std::uint64_t all) {
  return (held == all ? "✓ " : "✗ ") + count(held) + " of " + count(all) +
         (all == 1 ? " expectation" : " expectations");
}

}  // namespace reeve::report
