// The real variables, files, clock and random numbers of the process.
#pragma once

#include "live/aws/clock.hpp"
#include "live/aws/environment.hpp"

namespace reeve::live {

class SystemEnvironment : public Environment {
 public:
  std::optional<std::string> get(const std::string& variable) const override;
  std::optional<std::string> read_file(const std::string& path) const override;
  bool has_file(const std::string& path) const override;
  Result<std::string> output_of(const std::string& command) const override;
};

class SystemClock : public Clock {
 public:
  policy::Instant now() override;
  void sleep(policy::Duration wait) override;
};

/// Uniform in [0, 1), from the random source of the system.
double system_random();

}  // namespace reeve::live
