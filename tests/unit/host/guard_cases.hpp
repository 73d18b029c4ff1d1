// What tests of guards share.
#pragma once

#include <cstdint>
#include <vector>

#include "host/confirm_first.hpp"
#include "host/guards.hpp"
#include "scripted_host.hpp"

namespace reeve::host {
namespace guards_test {

inline std::vector<Observation> jobs(std::uint32_t count, std::uint32_t tags = 0) {
  std::vector<Observation> news;
  for (std::uint32_t job = 0; job < count; ++job) {
    auto fact = std::get<policy::JobSubmitted>(submitted(job).fact);
    fact.description.tags = {tags};
    news.push_back({at(0s), fact});
    news.push_back(training(job));
  }
  return news;
}

}  // namespace guards_test
}  // namespace reeve::host
