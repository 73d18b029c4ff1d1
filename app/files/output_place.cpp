#include "app/files/output_place.hpp"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <streambuf>
#include <string>
#include <system_error>

#include "app/usage_error.hpp"
#include "report/directory_lock.hpp"
#include "report/temporary_file.hpp"

namespace reeve::app {
namespace {

namespace fs = std::filesystem;

/// Files of a run that was killed are not worth keeping.
bool is_left_over(const fs::path& file) {
  return report::is_temporary(file) || report::is_lock(file);
}

bool holds_export(const fs::path& directory) {
  std::ifstream in{directory / "datapackage.json", std::ios::binary};
  const auto package = nlohmann::json::parse(in, nullptr, false);
  return package.is_object() && package.contains("x_reeve");
}

std::string start_of(const fs::path& file, std::size_t bytes) {
  std::ifstream in{file, std::ios::binary};
  std::string start(bytes, '\0');
  in.read(start.data(), static_cast<std::streamsize>(bytes));
  start.resize(static_cast<std::size_t>(in.gcount()));
  return start;
}

/// Of reeve is what begins as it would be written now; what only its first line has in common may
/// have been worked on.
[[noreturn]] void refuse(const fs::path& file, std::string_view begins, std::string_view option) {
  const std::string_view line = begins.substr(0, begins.find('\n'));
  const bool is_like_it = line.size() < begins.size() && start_of(file, line.size()) == line;
  throw UsageError{std::string{option} + ": " + file.generic_string() + " already exists and " +
                       (is_like_it ? "differs from the new content" : "was not written by reeve"),
                   "use another name, or remove the file"};
}

}  // namespace

void check_output_directory(const fs::path& directory) {
  const std::string name = directory.generic_string();
  std::error_code error;
  const fs::file_status status = fs::status(directory, error);
  if (directory.empty()) throw UsageError{"the directory for results needs a name", "-o out/week"};
  if (!fs::exists(status)) return;
  if (!fs::is_directory(status)) {
    throw UsageError{name + " is a file; results need a directory", "-o " + name + ".results"};
  }
  const fs::directory_iterator entries{directory, error};
  if (error) throw UsageError{"cannot read the directory " + name + ": " + error.message()};
  const bool empty = std::all_of(begin(entries), end(entries), [](const fs::directory_entry& of) {
    return of.is_directory() || is_left_over(of.path());
  });
  if (empty || holds_export(directory)) return;
  throw UsageError{name + " has files that are not results of reeve",
                   "use a new or empty directory, like -o " + (directory / "results").string()};
}

void check_output_file(const fs::path& file, std::string_view begins, std::string_view option) {
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (fs::is_directory(status)) {
    throw UsageError{std::string{option} + ": " + file.generic_string() + " is a directory",
                     "name a file in it, like " + (file / "FILE").generic_string()};
  }
  if (!fs::is_regular_file(status) || fs::file_size(file, error) == 0) return;
  if (start_of(file, begins.size()) != begins) refuse(file, begins, option);
}

void check_replaced_file(const fs::path& file, std::string_view option) {
  if (!fs::exists(file) || fs::is_regular_file(file)) return;
  throw UsageError{std::string{option} + ": " + file.string() + " is not a regular file",
                   "name a file"};
}

namespace {

/// Compares what is written to it with a file, in little memory.
class ComparedFile : public std::streambuf {
 public:
  explicit ComparedFile(const fs::path& file) : in_{file, std::ios::binary} {}

  /// Whether the file is what was written, and no more.
  bool is_equal() { return is_equal_ && in_.peek() == std::char_traits<char>::eof(); }
  /// What was written up to its first line break.
  const std::string& first_line() const { return first_line_; }

 private:
  std::streamsize xsputn(const char* text, std::streamsize size) override {
    const std::string_view more{text, static_cast<std::size_t>(size)};
    const std::size_t line = std::min(more.find('\n'), more.size() - 1) + 1;
    if (!first_line_.ends_with('\n') && size > 0) first_line_ += more.substr(0, line);
    read_.resize(more.size());
    is_equal_ = is_equal_ && in_.read(read_.data(), size) && more == read_;
    return size;  // that they differ is told at the end
  }
  int_type overflow(int_type c) override {
    const char one = std::char_traits<char>::to_char_type(c);
    xsputn(&one, 1);
    return c;
  }

  std::ifstream in_;
  std::string read_, first_line_;
  bool is_equal_ = true;
};

}  // namespace

void check_output_copy(const fs::path& file, const std::function<void(std::ostream&)>& write,
                       std::string_view option) {
  check_output_file(file, {}, option);
  std::error_code error;
  if (!fs::is_regular_file(file, error) || fs::file_size(file, error) == 0) return;
  ComparedFile compared{file};
  std::ostream out{&compared};
  write(out);
  if (!compared.is_equal()) refuse(file, compared.first_line(), option);
}

void check_output_copy(const fs::path& file, std::string_view text, std::string_view option) {
  check_output_copy(
      file, [text](std::ostream& out) { out << text; }, option);
}

}  // namespace reeve::app
