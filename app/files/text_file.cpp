#include "app/files/text_file.hpp"

#include <stdexcept>
#include <string>
#include <system_error>

#include "report/temporary_file.hpp"

namespace reeve::app {

void write_text_file(const std::filesystem::path& path, std::string_view text) {
  write_file(path, [&](std::ostream& out) { out << text; });
}

void write_file(const std::filesystem::path& path,
                const std::function<void(std::ostream&)>& write) {
  std::error_code error;
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), error);
  if (std::filesystem::exists(path) && !std::filesystem::is_regular_file(path)) {
    throw std::runtime_error{"cannot write " + path.string() + ": not a regular file"};
  }
  report::TemporaryFile temporary{path};
  write(temporary.stream());
  temporary.close();
  temporary.put_in_place();
}

}  // namespace reeve::app
