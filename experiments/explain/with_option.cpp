#include "experiments/explain/with_option.hpp"

#include <algorithm>
#include <chrono>
#include <variant>

namespace reeve::experiments {
namespace {

/// Durations are limited in seconds; what has no number has no limit.
bool in_range(const policy::OptionSpec& spec, const policy::OptionValue& value) {
  double number = 0;
  if (const auto* count = std::get_if<std::int64_t>(&value)) {
    number = static_cast<double>(*count);
  } else if (const auto* real = std::get_if<double>(&value)) {
    number = *real;
  } else if (const auto* length = std::get_if<policy::Duration>(&value)) {
    number = std::chrono::duration<double>(*length).count();
  } else {
    return true;
  }
  return spec.min <= number && number <= spec.max;
}

}  // namespace

std::optional<scenarios::PolicySpec> with_option(const scenarios::PolicySpec& policy,
                                                 std::string_view label, std::string_view option,
                                                 const policy::OptionValue& value) {
  scenarios::PolicySpec changed = policy;
  const auto seat = std::find_if(changed.seats.begin(), changed.seats.end(),
                                 [&](const scenarios::SeatSpec& of) { return of.label == label; });
  if (seat == changed.seats.end()) return std::nullopt;
  policy::Options options;
  for (const policy::OptionSpec& spec : seat->kind->options) {
    if (spec.name == option && !in_range(spec, value)) return std::nullopt;
    options.set(spec.name, spec.name == option ? value : seat->options.value(spec.name));
  }
  if (seat->kind->check != nullptr && !seat->kind->check(options).message.empty()) {
    return std::nullopt;
  }
  seat->options = std::move(options);
  return changed;
}

}  // namespace reeve::experiments
