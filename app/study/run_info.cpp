#include "app/study/run_info.hpp"

#include <string>

#include "reeve/version.hpp"

namespace reeve::app {

report::RunInfo run_info(const scenarios::Scenario& scenario,
                         const experiments::RunResult& result) {
  report::RunInfo info{.scenario = scenario.name,
                       .policy = result.policy,
                       .replication = result.replication,
                       .seed = scenario.world.seed,
                       .digest = result.digest,
                       .engine_version = std::string{kVersion},
                       .price_book = scenario.price_book,
                       .seats = {}};
  for (const experiments::SeatedRule& seat : result.seats) info.seats.push_back(seat.label);
  return info;
}

}  // namespace reeve::app
