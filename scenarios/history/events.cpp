#include "scenarios/history/kinds.hpp"

namespace reeve::scenarios {

bool is_spot_prices(std::string_view) {
  return false;
}

void read_spot_prices(HistoryInput&, const HistoryOptions&, History&) {}

bool is_cloudtrail(std::string_view) {
  return false;
}

void read_cloudtrail(HistoryInput&, const HistoryOptions&, History&) {}

bool is_eventbridge(std::string_view) {
  return false;
}

void read_eventbridge(HistoryInput&, const HistoryOptions&, History&) {}

}  // namespace reeve::scenarios
