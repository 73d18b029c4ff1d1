// The reference page of the tables: what reeve writes as CSV, and what it reads of jobs.
#include <fmt/format.h>

#include "app/docs.hpp"
#include "app/docs/markdown.hpp"
#include "report/schema.hpp"
#include "scenarios/exchange/job_import.hpp"
#include "scenarios/records/trace_columns.hpp"

namespace reeve::app {
namespace {

std::string exported(const report::TableSchema& schema) {
  DocsTable table{"Column", "Type", "Unit", "What it is"};
  std::string key;
  for (const report::Field& field : schema.fields) {
    table.add({docs_code(field.name), std::string{report::name(field.type)},
               std::string{field.unit}, docs_prose(field.description, "../")});
  }
  for (const report::Field& field : schema.fields.first(schema.key)) {
    key += fmt::format("{}`{}`", key.empty() ? "" : ", ", field.name);
  }
  return fmt::format("### {}.csv\n\n{} Primary key: {}.\n\n{}", schema.name,
                     docs_prose(docs_sentence(schema.title), "../"), key, table.text());
}

std::string trace_text() {
  DocsTable table{"Column", "Unit", "Required", "What it is"};
  for (const scenarios::TraceColumn& column : scenarios::trace_columns()) {
    table.add({docs_code(column.name), std::string{column.unit}, column.required ? "yes" : "no",
               docs_prose(column.meaning, "../")});
  }
  return fmt::format(
      "### Job trace\n\n"
      "`workload.trace` reads this CSV file, plain or compressed with gzip. The first line names "
      "the columns, in any order.\n\n{}",
      table.text());
}

std::string importers_text() {
  DocsTable table{"Format", "File", "Columns it needs", "Assumptions"};
  for (const scenarios::JobImporter& importer : scenarios::job_importers()) {
    table.add({docs_code(importer.name), docs_prose(importer.what, "../"),
               docs_prose(importer.columns, "../"), docs_prose(importer.inferred, "../")});
  }
  return fmt::format(
      "### Published cluster logs\n\n"
      "`reeve import FORMAT FILE` converts these logs to a job trace.\n\n{}",
      table.text());
}

}  // namespace

DocsPage tables_page() {
  std::string text = docs_head(
      "Tables", "the columns in report/*_table*.cpp and scenarios/records/trace_columns.cpp");
  text +=
      "## Results\n\n"
      "`reeve run` and `reeve compare` write these CSV files with `-o DIR`, and describe them in "
      "`datapackage.json`.\n"
      "An empty cell means that there is no value.\n\n";
  for (const report::TableSchema* schema : report::schemas()) text += exported(*schema);
  text += "## Input\n\n" + trace_text() + importers_text();
  text.pop_back();
  return {"tables.md", std::move(text)};
}

}  // namespace reeve::app
