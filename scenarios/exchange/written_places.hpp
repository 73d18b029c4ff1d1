// Where the text of a scenario says what is exported, for the diagnostics of an export.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>

#include "scenarios/load/keys/scenario.hpp"
#include "scenarios/text/json.hpp"
#include "scenarios/text/source.hpp"

namespace reeve::scenarios {

/// Finds the nodes of a scenario's document.  What the text does not have is found at its section,
/// or at the root.
class WrittenPlaces {
 public:
  WrittenPlaces(const PolicySpec& policy, std::shared_ptr<const SourceFile> written)
      : policy_{policy}, document_{Document::parse(std::move(written))} {}

  Node root() const { return document_.root(); }
  Node place(std::string_view section, std::optional<std::size_t> index = std::nullopt,
             std::string_view key = {}) const;
  /// Of a share by its whole name, or of a prefix.
  Node share_place(std::string_view name, std::string_view key) const;
  Node policy_place() const;
  /// Of a rule of the policy, or of an alert, which is a rule of each.
  Node seat_place(const SeatSpec& seat, std::string_view key) const;

 private:
  const PolicySpec& policy_;
  Document document_;
};

}  // namespace reeve::scenarios
