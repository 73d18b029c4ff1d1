#include "scenarios/history/kinds.hpp"

namespace reeve::scenarios {

bool is_nvidia_smi(std::string_view) {
  return false;
}

void read_nvidia_smi(HistoryInput&, const HistoryOptions&, History&) {}

bool is_dcgmi(std::string_view) {
  return false;
}

void read_dcgmi(HistoryInput&, const HistoryOptions&, History&) {}

}  // namespace reeve::scenarios
