#include "scenarios/history/kinds.hpp"

namespace reeve::scenarios {

bool is_slurm(std::string_view) {
  return false;
}

void read_slurm(HistoryInput&, const HistoryOptions&, History&) {}

bool is_slurm_json(std::string_view) {
  return false;
}

void read_slurm_json(HistoryInput&, const HistoryOptions&, History&) {}

}  // namespace reeve::scenarios
