// Variables, files and commands of the process, which tests replace.
#pragma once

#include <optional>
#include <string>

#include "live/aws/failure.hpp"

namespace reeve::live {

class Environment {
 public:
  virtual ~Environment() = default;
  /// Nothing if the variable is not set or is empty.
  virtual std::optional<std::string> get(const std::string& variable) const = 0;
  /// Nothing if the file cannot be read or has more than a mebibyte.
  virtual std::optional<std::string> read_file(const std::string& path) const = 0;
  virtual bool has_file(const std::string& path) const = 0;
  /// What the command prints, if it ends with status 0.
  virtual Result<std::string> output_of(const std::string& command) const = 0;
};

}  // namespace reeve::live
