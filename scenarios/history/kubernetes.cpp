#include "scenarios/history/kinds.hpp"

namespace reeve::scenarios {

bool is_kubernetes(std::string_view) {
  return false;
}

void read_kubernetes(HistoryInput&, const HistoryOptions&, History&) {}

}  // namespace reeve::scenarios
