#include "app/compare/junit.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string_view>

#include "report/xml_text.hpp"

namespace reeve::app {
namespace {

double seconds_taken(std::chrono::nanoseconds length) {
  return std::chrono::duration<double>(length).count();
}

std::string case_xml(const TestedFile& file, const TestedLine& line) {
  std::string out =
      fmt::format("    <testcase classname=\"{}\" name=\"{}: {}\"", report::xml_escaped(file.name),
                  report::xml_escaped(line.policy), report::xml_escaped(line.that));
  if (line.held) return out + "/>\n";
  return out + fmt::format(">\n      <failure message=\"{}\">{}:{}</failure>\n    </testcase>\n",
                           report::xml_escaped(line.actual), report::xml_escaped(file.name),
                           line.line);
}

std::string suite_xml(const TestedFile& file) {
  std::size_t failures = 0;
  for (const TestedLine& line : file.lines) failures += line.held ? 0U : 1U;
  const std::size_t errors = file.invalid.empty() ? 0 : 1;
  const std::size_t skipped = file.without_lines || file.interrupted ? 1 : 0;
  std::string out = fmt::format(
      "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" "
      "time=\"{:.3f}\">\n",
      report::xml_escaped(file.name), file.lines.size() + errors + skipped, failures, errors,
      skipped, seconds_taken(file.elapsed));
  for (const TestedLine& line : file.lines) out += case_xml(file, line);
  const std::string head = fmt::format("    <testcase classname=\"{}\" name=\"scenario\">",
                                       report::xml_escaped(file.name));
  if (errors > 0) {
    out += head +
           fmt::format("<error message=\"{}\"/></testcase>\n", report::xml_escaped(file.invalid));
  }
  if (skipped > 0) {
    out += head + fmt::format("<skipped message=\"{}\"/></testcase>\n",
                              file.interrupted ? "interrupted" : "no expectations");
  }
  return out + "  </testsuite>\n";
}

}  // namespace

TestSummary summarize(const std::vector<TestedFile>& files) {
  TestSummary sum;
  for (const TestedFile& file : files) {
    if (!file.invalid.empty()) ++sum.invalid;
    sum.interrupted = sum.interrupted || file.interrupted;
    for (const TestedLine& line : file.lines) ++(line.held ? sum.passed : sum.failed);
  }
  return sum;
}

std::string junit_xml(const std::vector<TestedFile>& files) {
  std::string out{junit_head};
  for (const TestedFile& file : files) out += suite_xml(file);
  return out + "</testsuites>\n";
}

std::string tested_json(const std::vector<TestedFile>& files, const TestSummary& sum) {
  using nlohmann::ordered_json;
  ordered_json out{{"passed", sum.passed},
                   {"failed", sum.failed},
                   {"invalid", sum.invalid},
                   {"partial", sum.interrupted}};
  auto& list = out["files"] = ordered_json::array();
  for (const TestedFile& file : files) {
    ordered_json entry{{"file", file.name}};
    if (!file.invalid.empty()) entry["invalid"] = file.invalid;
    entry["no_expectations"] = file.without_lines;
    auto& lines = entry["lines"] = ordered_json::array();
    for (const TestedLine& line : file.lines) {
      lines.push_back({{"held", line.held},
                       {"line", line.line},
                       {"policy", line.policy},
                       {"that", line.that},
                       {"actual", line.actual}});
    }
    list.push_back(std::move(entry));
  }
  return out.dump(2, ' ', false, ordered_json::error_handler_t::replace) + '\n';
}

}  // namespace reeve::app
