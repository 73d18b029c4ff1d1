#include "app/what_if.hpp"

#include <algorithm>

namespace reeve::app {

std::optional<scenarios::PolicySpec> with_option(const scenarios::PolicySpec& policy,
                                                 std::string_view label, std::string_view option,
                                                 const policy::OptionValue& value) {
  scenarios::PolicySpec changed = policy;
  const auto seat = std::find_if(changed.seats.begin(), changed.seats.end(),
                                 [&](const scenarios::SeatSpec& of) { return of.label == label; });
  if (seat == changed.seats.end()) return std::nullopt;
  policy::Options options;
  for (const policy::OptionSpec& spec : seat->kind->options) {
    options.set(spec.name, spec.name == option ? value : seat->options.value(spec.name));
  }
  if (seat->kind->check != nullptr && !seat->kind->check(options).message.empty()) {
    return std::nullopt;
  }
  seat->options = std::move(options);
  return changed;
}

}  // namespace reeve::app
