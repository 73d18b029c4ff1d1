// What of a policy is reeve's model, as AWS publishes no rule for it, and what it is set to.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "scenarios/load/keys/scenario.hpp"

namespace reeve::app {

/// An option by which the model can be changed, and its value as a scenario has it, unquoted.
struct Modelled {
  std::string_view option;
  std::string value;
};

/// Of the policy's queues; empty where all that decides there is published
/// (docs/explanation/queues-and-quotas.md).
std::vector<Modelled> modelled(const scenarios::PolicySpec& policy);

/// "NAME: a model where AWS publishes no rule: victims …; …"; empty: all of it is published.
std::string modelled_note(const scenarios::PolicySpec& policy);

}  // namespace reeve::app
