// A value of a scenario file that is read later.
#pragma once

#include <optional>

#include "scenarios/load/keys/object_table.hpp"

namespace reeve::scenarios {

/// A value kept as it stands, to be read when more is known.
struct RawInput {
  std::optional<Node> written;
};

}  // namespace reeve::scenarios
