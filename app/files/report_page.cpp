#include "app/files/report_page.hpp"

#include "app/files/output_place.hpp"
#include "app/files/text_file.hpp"
#include "report/page/page.hpp"
#include "report/page_name.hpp"

namespace reeve::app {

void check_report_place(const std::filesystem::path& file) {
  check_output_file(file, report::page_begins, "the report");
}

void write_report(const std::filesystem::path& directory, const std::filesystem::path& file,
                  const std::string& title) {
  const report::ResultDirectory results{directory};
  write_text_file(file, report::page_text(results, title));
}

}  // namespace reeve::app
