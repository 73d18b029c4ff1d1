#include "report/temporary_file.hpp"

#include <stdexcept>
#include <system_error>
#include <utility>

namespace reeve::report {

TemporaryFile::TemporaryFile(std::filesystem::path becomes)
    : becomes_{std::move(becomes)},
      name_{(becomes_.parent_path() / ('.' + becomes_.filename().string() + ".tmp")).string()} {}

TemporaryFile::~TemporaryFile() {
  std::error_code ignored;
  std::filesystem::remove(name(), ignored);
}

void TemporaryFile::put_in_place() const {
  std::error_code error;
  std::filesystem::rename(name(), becomes_, error);
  if (error) {
    throw std::runtime_error{"cannot write " + becomes_.string() + ": " + error.message()};
  }
}

}  // namespace reeve::report
