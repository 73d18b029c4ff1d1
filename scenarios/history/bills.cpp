#include "scenarios/history/kinds.hpp"

namespace reeve::scenarios {

bool is_focus(std::string_view) {
  return false;
}

void read_focus(HistoryInput&, const HistoryOptions&, History&) {}

bool is_cur(std::string_view) {
  return false;
}

void read_cur(HistoryInput&, const HistoryOptions&, History&) {}

}  // namespace reeve::scenarios
