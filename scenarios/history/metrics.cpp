#include "scenarios/history/kinds.hpp"

namespace reeve::scenarios {

bool is_cloudwatch(std::string_view) {
  return false;
}

void read_cloudwatch(HistoryInput&, const HistoryOptions&, History&) {}

bool is_prometheus(std::string_view) {
  return false;
}

void read_prometheus(HistoryInput&, const HistoryOptions&, History&) {}

}  // namespace reeve::scenarios
