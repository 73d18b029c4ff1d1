#include "scenarios/text/csv_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace reeve::scenarios {

CsvHeader CsvHeader::read(CsvReader& csv, std::span<const std::string_view> known,
                          std::span<const std::string_view> required) {
  if (!csv.next()) {
    Diagnostic empty;
    empty.code = "E0320";
    empty.file = csv.name();
    empty.message = "the file is empty";
    empty.help = fmt::format("name the columns in the first line: {}", fmt::join(known, ","));
    throw InputError{std::move(empty)};
  }
  CsvHeader header;
  header.known_ = known;
  header.width_ = csv.fields().size();
  header.fields_.assign(known.size(), absent_column);
  header.place(csv);
  header.require(csv, required);
  header.warn_of_strangers(csv);
  return header;
}

void CsvHeader::place(const CsvReader& csv) {
  for (std::size_t i = 0; i < width_; ++i) {
    const std::string_view name = trimmed(csv.fields()[i]);
    const auto known = std::find(known_.begin(), known_.end(), name);
    if (known == known_.end()) {
      strangers_.push_back(i);
      continue;
    }
    std::size_t& field = fields_[static_cast<std::size_t>(known - known_.begin())];
    if (field != absent_column) {
      throw InputError{
          csv.at(i, "E0322", fmt::format("duplicate column {}", in_quotes(name)), "again here")};
    }
    field = i;
  }
}

void CsvHeader::require(const CsvReader& csv, std::span<const std::string_view> required) const {
  for (const std::string_view name : required) {
    const auto column = std::find(known_.begin(), known_.end(), name) - known_.begin();
    if (has(static_cast<std::size_t>(column))) continue;
    std::vector<std::string_view> present;
    for (const std::size_t i : strangers_) present.push_back(trimmed(csv.fields()[i]));
    const auto meant = nearest_of(name, present);
    std::size_t field = 0;
    while (meant && trimmed(csv.fields()[field]) != *meant) ++field;
    throw InputError{csv.at(field, "E0321",
                            fmt::format("the column {} is missing", in_quotes(name)),
                            meant ? "possibly this one" : "not in the header")
                         .with_help(help(csv, name, meant))};
  }
}

std::string CsvHeader::help(const CsvReader& csv, std::string_view missing,
                            const std::optional<std::string>& meant) const {
  const std::string_view first = csv.fields()[0];
  if (width_ == 1 && first.find_first_of(";\t") != first.npos)
    return "separate columns with commas";
  if (meant) return fmt::format("rename {} to {}", in_quotes(*meant), in_quotes(missing));
  return fmt::format("name the columns in the first line: {}", fmt::join(known_, ","));
}

void CsvHeader::warn_of_strangers(const CsvReader& csv) {
  for (const std::size_t i : strangers_) {
    if (warnings_.size() == most_warnings) return;
    const std::string_view name = trimmed(csv.fields()[i]);
    std::vector<std::string_view> missing;
    for (std::size_t column = 0; column < known_.size(); ++column) {
      if (!has(column)) missing.push_back(known_[column]);
    }
    const auto meant = nearest_of(name, missing);
    Diagnostic warning =
        csv.at(i, "W0301", fmt::format("unknown column {}", in_quotes(name)), "ignored")
            .with_help(meant ? fmt::format("did you mean {}?", in_quotes(*meant)) : "");
    warning.severity = Severity::warning;
    warnings_.push_back(std::move(warning));
  }
}

void CsvHeader::check_width(const CsvReader& csv) const {
  const std::size_t found = csv.fields().size();
  if (found == width_) return;
  const std::string message =
      fmt::format("the header has {} columns, this line has {}", width_, found);
  if (found < width_) throw InputError{csv.at(found, "E0312", message, "fields are missing")};
  throw InputError{csv.at(width_, "E0312", message, "extra field")
                       .with_help("put a text with a comma in double quotes")};
}

}  // namespace reeve::scenarios
