#include "scenarios/history/kinds.hpp"

namespace reeve::scenarios {

bool is_aws_batch(std::string_view) {
  return false;
}

void read_aws_batch(HistoryInput&, const HistoryOptions&, History&) {}

}  // namespace reeve::scenarios
