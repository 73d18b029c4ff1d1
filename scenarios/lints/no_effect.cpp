#include "scenarios/lints/no_effect.hpp"

#include <fmt/format.h>

namespace reeve::scenarios {

void no_effect(const Node& node, std::string_view why, Findings& findings, std::string_view help) {
  findings.add(at_key(node, "W0476", fmt::format("{} has no effect here", in_quotes(node.key())),
                      std::string{why}, Severity::warning)
                   .with_help(std::string{help}));
}

void no_effect_unless(bool works, const std::optional<Node>& object, std::string_view key,
                      std::string_view why, Findings& findings, std::string_view help) {
  const auto node = under(object, key);
  if (node && !works) no_effect(*node, why, findings, help);
}

}  // namespace reeve::scenarios
