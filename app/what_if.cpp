#include "app/what_if.hpp"

#include <algorithm>

namespace reeve::app {
namespace {

policy::OptionValue value_of(const policy::Options& options, const policy::OptionSpec& spec) {
  switch (spec.type) {
    case policy::OptionType::flag:
      return options.flag(spec.name);
    case policy::OptionType::integer:
      return options.integer(spec.name);
    case policy::OptionType::number:
      return options.number(spec.name);
    case policy::OptionType::duration:
      return options.duration(spec.name);
    case policy::OptionType::choice:
    case policy::OptionType::text:
      return options.text(spec.name);
    case policy::OptionType::texts:
      return options.texts(spec.name);
    case policy::OptionType::integers:
      return options.integers(spec.name);
    case policy::OptionType::text_map:
      return options.text_map(spec.name);
  }
  return false;
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
    options.set(spec.name, spec.name == option ? value : value_of(seat->options, spec));
  }
  if (seat->kind->check != nullptr && !seat->kind->check(options).message.empty()) {
    return std::nullopt;
  }
  seat->options = std::move(options);
  return changed;
}

}  // namespace reeve::app
