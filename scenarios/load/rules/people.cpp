// Humans and the kill switch.
#include <fmt/format.h>

#include <set>

#include "scenarios/load/rules/steps.hpp"

namespace reeve::scenarios {
namespace {

void load_human(Loading& loading, const HumanInput& input, std::set<std::string>& known) {
  const models::Human& human = input.human;
  const Node node = *input.written;
  const auto owner = node.find("owner");
  if (const auto away = node.find("away")) check_order(human.away, *away, loading.findings);
  if (owner && !known.insert(human.owner).second) {
    loading.error(*owner, "E0208",
                  fmt::format("a second human has the owner {}", in_quotes(human.owner)),
                  "merge the two");
  }
  // Broken jobs may hide their owners.
  if (owner && loading.findings.errors() == 0 && !loading.names.owners.contains(human.owner)) {
    loading.warning(*owner, "W0406", fmt::format("{} owns no job", in_quotes(human.owner)),
                    "no job has this owner", did_you_mean(human.owner, loading.names.owners));
  }
  loading.world().humans.push_back(human);
  if (input.reads) loading.world().humans.back().reads_within = input.reads->within;
}

}  // namespace

void load_people(Loading& loading) {
  std::set<std::string> known;
  for (const HumanInput& human : loading.input.humans) load_human(loading, human, known);
  loading.world().kill_switch = loading.input.kill_switch;
  loading.world().late_after = loading.input.late_after;
  const Node root = *loading.input.written;
  if (const auto kill_switch = root.find("kill_switch")) {
    const auto engaged = kill_switch->find("engaged");
    if (engaged) check_order(loading.input.kill_switch.engaged, *engaged, loading.findings);
  }
}

}  // namespace reeve::scenarios
