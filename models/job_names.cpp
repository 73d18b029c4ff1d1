#include "models/job_names.hpp"

#include <utility>

namespace reeve::models {

JobNames::JobNames(std::initializer_list<std::string> names)
    : names_{std::make_shared<std::vector<std::string>>(names)} {}

JobNames::JobNames(std::vector<std::string> names)
    : names_{std::make_shared<std::vector<std::string>>(std::move(names))} {}

std::vector<std::string>& JobNames::own() {
  if (names_ == nullptr) {
    names_ = std::make_shared<std::vector<std::string>>();
  } else if (names_.use_count() > 1) {
    names_ = std::make_shared<std::vector<std::string>>(*names_);
  }
  return *names_;
}

}  // namespace reeve::models
