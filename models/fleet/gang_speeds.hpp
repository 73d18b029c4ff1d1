// How fast the instances of a launch are: their type, their zones, their loaders, the slowest host.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "models/fleet/core.hpp"

namespace reeve::models {

/// The pace of launches, and which of their hosts are stragglers.
class GangSpeeds {
 public:
  explicit GangSpeeds(FleetCore& core) : core_{core} {}

  /// One place for all that makes instances slow: hosts compute at the speed of their type, a
  /// spread gang slower, a straggler slower still; they all go at the pace of the slowest, and no
  /// faster than it is fed; fewer instances than wanted do less.
  void set_pace(Running& run);
  /// Other instances, another draw: hosts from place `from` on are new to the job.
  void draw_stragglers(Running& run, std::uint32_t from) const;
  /// Another instance in the place of one; the others are what they were.
  void swap_host(Running& run, std::size_t place) const;
  bool is_slow(const Pace& pace, std::uint32_t host) const;

 private:
  std::uint32_t of_spread(const Running& run) const;
  bool is_straggler(const Running& run, std::uint32_t host) const;
  std::uint32_t slow_hosts(const Running& run);

  FleetCore& core_;
  std::vector<std::vector<std::uint32_t>> slow_sets_{1};  ///< of hosts; the first is of none
  std::map<std::vector<std::uint32_t>, std::uint32_t> slow_set_of_;
};

}  // namespace reeve::models
