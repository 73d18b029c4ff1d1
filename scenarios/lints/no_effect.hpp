// Says of keys that are read and change nothing what holds instead.
#pragma once

#include <optional>
#include <string_view>

#include "scenarios/text/decode.hpp"

namespace reeve::scenarios {

/// Says that the key of `node` changes nothing here (W0476).
void no_effect(const Node& node, std::string_view why, Findings& findings,
               std::string_view help = {});

/// Says so of a key of `object`, if it is written and does not work.
void no_effect_unless(bool works, const std::optional<Node>& object, std::string_view key,
                      std::string_view why, Findings& findings, std::string_view help = {});

inline std::optional<Node> under(const std::optional<Node>& object, std::string_view key) {
  return object ? object->find(key) : std::nullopt;
}

}  // namespace reeve::scenarios
