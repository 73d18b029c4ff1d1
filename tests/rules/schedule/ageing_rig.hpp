// Priorities that grow while a job waits: what their worked examples and their random worlds share.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/rules/schedule/rule_as_order.hpp"

namespace reeve::policies::ageing_rig {

inline oracle::Job job(Tick submit, Tick work, std::int64_t machines, std::int64_t priority) {
  oracle::Job made;
  made.submit = submit;
  made.work = work;
  made.needs = {machines};
  made.priority = priority;
  return made;
}

inline std::string ageing(const std::string& span, const std::string& passing = "none") {
  return R"({"algorithm": "priority", "ageing": ")" + span + R"(", "backfill": ")" + passing +
         "\"}";
}

/// When each job first starts, in the order of the world.
inline std::vector<Tick> starts(const QueueWorld& world, const std::string& options) {
  RuleAsOrder rule{world, options};
  std::vector<Tick> out;
  for (const oracle::Course& course : oracle::schedule(world.jobs, {world.machines}, rule)) {
    out.push_back(course.first_start());
  }
  return out;
}

}  // namespace reeve::policies::ageing_rig
