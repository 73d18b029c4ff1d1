// From a rule's option table to shapes, and from a scenario's keys to the rule's options.
#pragma once

#include <optional>
#include <reeve/policy/options.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scenarios/text/decode.hpp"

namespace reeve::scenarios {

/// What is wrong with the option table of a kind that is not built in; empty: nothing.
std::string problem_of_options(const policy::PolicyKind& kind);

/// Where one rule's options stand: the members of the seat that are options, and its preset.
struct OptionPlaces {
  Node seat;
  std::span<const Node> own;
  std::optional<Node> preset;

  /// The value of `action.stop`; the seat's own wins over the preset's.
  std::optional<Node> find(std::string_view option) const;
};

/// Each of the names of the option `fleets` once, with where it is written.
std::vector<std::pair<std::string, Node>> named_fleets(const std::vector<std::string>& fleets,
                                                       const OptionPlaces& places);

/// Every option of the kind: written in the seat, else in the preset, else the default.  Nothing
/// after a finding.
std::optional<policy::Options> read_options(const policy::PolicyKind& kind,
                                            const OptionPlaces& places, Findings& findings);

/// Every option of the kind: as given, else the default.  One without a default must be given.
policy::Options complete_options(
    const policy::PolicyKind& kind,
    const std::vector<std::pair<std::string_view, policy::OptionValue>>& given);

/// W0500, if what they say cannot be meant in this world.
void report_doubt(const policy::PolicyKind& kind, const policy::Options& options,
                  const policy::Directory& directory, const OptionPlaces& places,
                  Findings& findings);

}  // namespace reeve::scenarios
