#include "app/files/report_page.hpp"

#include "app/files/output_place.hpp"
#include "app/files/text_file.hpp"
#include "app/usage_error.hpp"
#include "report/page/page.hpp"
#include "report/page_name.hpp"

namespace reeve::app {

void check_report_place(const std::filesystem::path& file) {
  std::error_code error;
  const auto status = std::filesystem::symlink_status(file, error);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status) &&
      !std::filesystem::is_directory(status)) {
    throw UsageError{"the report: " + file.generic_string() + " is not a regular file",
                     "use another name"};
  }
  check_output_file(file, report::page_begins, "the report");
}

void write_report(const std::filesystem::path& directory, const std::filesystem::path& file,
                  const std::string& title) {
  const report::ResultDirectory results{directory};
  std::error_code error;
  const bool is_beside =
      file.parent_path() == directory ||
      std::filesystem::equivalent(std::filesystem::absolute(file).parent_path(), directory, error);
  write_text_file(file, report::page_text(results, title, is_beside));
}

}  // namespace reeve::app
