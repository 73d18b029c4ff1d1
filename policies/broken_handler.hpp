// A handler as two articles print it, with the mistake that prevents it from ever running.
#pragma once

#include <memory>
#include <reeve/policy/options.hpp>
#include <reeve/policy/policy.hpp>
#include <string_view>
#include <utility>
#include <vector>

namespace reeve::policies {

/// Proposes nothing: its first call is refused, or it was never deployed.
class BrokenHandler final : public policy::Policy {
 public:
  void decide(const policy::Step& /*step*/, policy::Decisions& /*out*/) override {}
};

/// The option `handler`: "works", or the name of a mistake.
inline policy::OptionSpec handler_option(std::vector<std::string_view> mistakes,
                                         std::string_view help) {
  std::vector<std::string_view> choices{"works"};
  choices.insert(choices.end(), mistakes.begin(), mistakes.end());
  return {.name = "handler",
          .type = policy::OptionType::choice,
          .unit = "",
          .default_json = R"("works")",
          .choices = std::move(choices),
          .help = help};
}

/// What helps against a defect of the handler.
inline constexpr std::string_view mended_handler =
    "\"handler\": \"works\" is the handler without this defect";
inline constexpr std::string_view rule_does_nothing = "the rule does nothing";

inline bool is_broken(const policy::Options& options) {
  return options.text("handler") != "works";
}

}  // namespace reeve::policies
