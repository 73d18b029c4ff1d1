#include "app/text_file.hpp"

#include <fstream>
#include <stdexcept>
#include <string>
#include <system_error>

namespace reeve::app {

void write_text_file(const std::filesystem::path& path, std::string_view text) {
  std::error_code error;
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), error);
  if (std::filesystem::exists(path) && !std::filesystem::is_regular_file(path)) {
    throw std::runtime_error{"cannot write " + path.string() + ": it is no file"};
  }
  std::filesystem::path temporary = path;
  temporary += ".tmp";
  std::ofstream stream{temporary, std::ios::binary | std::ios::trunc};
  stream << text;
  stream.close();
  if (!stream) throw std::runtime_error{"cannot write " + path.string()};
  std::filesystem::rename(temporary, path, error);
  if (error) throw std::runtime_error{"cannot write " + path.string() + ": " + error.message()};
}

}  // namespace reeve::app
