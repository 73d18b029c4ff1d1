#include "scenarios/history/kinds.hpp"

namespace reeve::scenarios {

bool is_wandb(std::string_view) {
  return false;
}

void read_wandb(HistoryInput&, const HistoryOptions&, History&) {}

bool is_mlflow(std::string_view) {
  return false;
}

void read_mlflow(HistoryInput&, const HistoryOptions&, History&) {}

}  // namespace reeve::scenarios
