#include "scenarios/history/data/history.hpp"

#include <array>

namespace reeve::scenarios {

std::string_view name_of(HistoryEvent::Kind kind) {
  constexpr std::array<std::string_view, 7> names{"created",     "stop_requested", "stop_refused",
                                                  "interrupted", "restarted",      "rebalance",
                                                  "evicted"};
  return names[static_cast<std::size_t>(kind)];
}

}  // namespace reeve::scenarios
