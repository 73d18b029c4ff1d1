#include "report/new_directory.hpp"

#include <stdexcept>
#include <string>
#include <system_error>

namespace reeve::report {

namespace fs = std::filesystem;

NewDirectory::NewDirectory(const fs::path& directory) {
  std::error_code error;
  fs::path part;
  for (const fs::path& name : directory) {
    part /= name;
    if (fs::create_directory(part, error)) {
      made_.push_back(std::make_unique<TemporaryName>(part.string()));
    }
  }
  std::error_code ignored;
  if (fs::is_directory(directory, ignored)) return;
  remove_empty();
  throw std::runtime_error{"cannot create " + directory.string() + ": " + error.message()};
}

NewDirectory::~NewDirectory() {
  remove_empty();
}

void NewDirectory::remove_empty() {
  std::error_code not_empty;
  for (; !made_.empty(); made_.pop_back()) fs::remove(made_.back()->path(), not_empty);
}

}  // namespace reeve::report
