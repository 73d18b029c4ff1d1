#include "scenarios/text/csv_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace reeve::scenarios {

namespace {

/// Lower case, letters and digits only: "Job ID" and "job_id" are the same.
std::string folded(std::string_view name) {
  std::string text;
  for (const char c : name) {
    if (c >= 'A' && c <= 'Z') text += static_cast<char>(c - 'A' + 'a');
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) text += c;
  }
  return text;
}

/// True if the names differ only in their spelling; a unit in ours may be missing in theirs.
bool is_spelling_of(std::string_view theirs, std::string_view ours) {
  const std::string text = folded(theirs);
  if (text.empty()) return false;
  if (text == folded(ours)) return true;
  return ours.ends_with("_s") && text == folded(ours.substr(0, ours.size() - 2));
}

/// The column of the file that is most likely meant by ours.
std::optional<std::string_view> likely_column(std::string_view ours,
                                              std::span<const std::string_view> present,
                                              const ColumnNames& names) {
  for (const std::string_view theirs : present) {
    if (is_spelling_of(theirs, ours)) return theirs;
  }
  for (const auto& [usual, column] : names.usual) {
    if (column != ours) continue;
    for (const std::string_view theirs : present) {
      if (folded(theirs) == usual) return theirs;
    }
  }
  const auto near = nearest_of(ours, present);
  if (!near) return std::nullopt;
  return *std::find(present.begin(), present.end(), *near);
}

/// Ours, if the file's column is most likely that.
std::optional<std::string> meant_by(std::string_view theirs,
                                    std::span<const std::string_view> missing,
                                    const ColumnNames& names) {
  for (const std::string_view ours : missing) {
    if (is_spelling_of(theirs, ours)) return std::string{ours};
  }
  for (const auto& [usual, ours] : names.usual) {
    const bool lacks = std::find(missing.begin(), missing.end(), ours) != missing.end();
    if (lacks && folded(theirs) == usual) return std::string{ours};
  }
  return nearest_of(theirs, missing);
}

/// "a", "b" and "c"
std::string listed(std::span<const std::string_view> names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " and " : ", ";
    text += in_quotes(names[i]);
  }
  return text;
}

Diagnostic duplicate(const CsvReader& csv, std::size_t field) {
  return csv.at(field, "E0322",
                fmt::format("duplicate column {}", in_quotes(trimmed(csv.fields()[field]))),
                "again here");
}

const ColumnName* stated_for(std::string_view ours, const ColumnNames& names) {
  for (const ColumnName& name : names.stated) {
    if (name.ours == ours) return &name;
  }
  return nullptr;
}

}  // namespace

CsvHeader CsvHeader::read(CsvReader& csv, std::span<const std::string_view> known,
                          std::span<const std::string_view> required, const ColumnNames& names) {
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
  header.place(csv, names);
  header.require(csv, required, names);
  header.warn_of_strangers(csv, names);
  return header;
}

void CsvHeader::place(const CsvReader& csv, const ColumnNames& names) {
  for (std::size_t i = 0; i < width_; ++i) {
    const std::string_view written = trimmed(csv.fields()[i]);
    const std::string spelled = names.spelled == nullptr ? std::string{} : names.spelled(written);
    const std::string_view name = names.spelled == nullptr ? written : spelled;
    bool is_known = false;
    for (std::size_t column = 0; column < known_.size(); ++column) {
      const ColumnName* stated = stated_for(known_[column], names);
      if (name != (stated == nullptr ? known_[column] : std::string_view{stated->theirs})) continue;
      is_known = true;
      if (fields_[column] != absent_column) {
        throw InputError{duplicate(csv, i)};
      }
      fields_[column] = i;
    }
    is_known |= place_prefixed(csv, i, names);
    // Some programs end each line with a delimiter.
    const bool is_end = name.empty() && i + 1 == width_ && i > 0;
    if (!is_known && !is_end) strangers_.push_back(i);
  }
  for (const ColumnName& stated : names.stated) {
    if (found(stated.ours)) continue;
    std::vector<std::string_view> present;
    for (const std::string_view field : csv.fields()) present.push_back(trimmed(field));
    throw InputError{
        csv.at(0, "E0321",
               fmt::format("no column {} for {}", in_quotes(stated.theirs), in_quotes(stated.ours)),
               "not in the header")
            .with_help(did_you_mean_of(stated.theirs, present))};
  }
}

/// Takes the field as each column that is known by its prefix and has the field's name.
bool CsvHeader::place_prefixed(const CsvReader& csv, std::size_t field, const ColumnNames& names) {
  if (names.prefix.empty()) return false;
  const std::string_view name = trimmed(csv.fields()[field]);
  const std::size_t before = prefixed_.size();
  const auto add = [&](std::string_view ours) {
    if (found(ours)) throw InputError{duplicate(csv, field)};
    prefixed_.push_back({std::string{ours}, field});
  };
  for (const ColumnName& stated : names.stated) {
    if (stated.theirs == name && stated.ours.starts_with(names.prefix)) add(stated.ours);
  }
  if (name.starts_with(names.prefix) && stated_for(name, names) == nullptr) add(name);
  return prefixed_.size() > before;
}

bool CsvHeader::found(std::string_view ours) const {
  const auto column =
      static_cast<std::size_t>(std::find(known_.begin(), known_.end(), ours) - known_.begin());
  if (column < known_.size()) return has(column);
  return std::any_of(prefixed_.begin(), prefixed_.end(),
                     [&](const PrefixedColumn& other) { return other.name == ours; });
}

void CsvHeader::require(const CsvReader& csv, std::span<const std::string_view> required,
                        const ColumnNames& names) const {
  std::vector<std::string_view> missing;
  for (const std::string_view name : required) {
    const auto column = std::find(known_.begin(), known_.end(), name) - known_.begin();
    if (!has(static_cast<std::size_t>(column))) missing.push_back(name);
  }
  if (missing.empty()) return;
  std::vector<std::string_view> present;
  for (const std::size_t i : strangers_) present.push_back(trimmed(csv.fields()[i]));
  std::vector<ColumnName> likely;
  for (const std::string_view name : missing) {
    const auto theirs = likely_column(name, present, names);
    if (!theirs) continue;
    likely.push_back({std::string{name}, std::string{*theirs}});
    std::erase(present, *theirs);
  }
  std::size_t field = 0;
  while (!likely.empty() && trimmed(csv.fields()[field]) != likely.front().theirs) ++field;
  const bool one = missing.size() == 1;
  throw InputError{
      csv.at(field, "E0321",
             fmt::format("the column{} {} {} missing", one ? "" : "s", listed(missing),
                         one ? "is" : "are"),
             likely.empty()
                 ? "not in the header"
                 : fmt::format("possibly {}", one ? "this one" : in_quotes(likely.front().ours)))
          .with_help(help(missing, likely, names.by))};
}

/// What to write so that the missing columns are found; the likely ones in one go.
std::string CsvHeader::help(std::span<const std::string_view> missing,
                            std::span<const ColumnName> likely, ColumnNames::By by) const {
  if (likely.empty())
    return fmt::format("name the columns in the first line: {}", fmt::join(known_, ","));
  std::string list;
  for (const ColumnName& name : likely) {
    list += list.empty() ? "" : by == ColumnNames::By::option ? "," : ", ";
    switch (by) {
      case ColumnNames::By::nothing:
        list += fmt::format("rename {} to {}", in_quotes(name.theirs), in_quotes(name.ours));
        break;
      case ColumnNames::By::key:
        list += fmt::format("{}: {}", in_quotes(name.ours), in_quotes(name.theirs));
        break;
      case ColumnNames::By::option:
        list += fmt::format("{}={}", name.ours, name.theirs);
        break;
    }
  }
  if (by == ColumnNames::By::key) list = fmt::format("\"columns\": {{ {} }}", list);
  if (by == ColumnNames::By::option) list = fmt::format("--columns '{}'", list);
  std::string rest;
  for (const std::string_view name : missing) {
    const bool found = std::any_of(likely.begin(), likely.end(),
                                   [&](const ColumnName& other) { return other.ours == name; });
    if (!found) rest += fmt::format("{}{}", rest.empty() ? "" : ", ", name);
  }
  return rest.empty() ? list : fmt::format("{}, and add {}", list, rest);
}

void CsvHeader::warn_of_strangers(const CsvReader& csv, const ColumnNames& names) {
  for (const std::size_t i : strangers_) {
    if (warnings_.size() == most_warnings) return;
    const std::string_view name = trimmed(csv.fields()[i]);
    std::vector<std::string_view> missing;
    for (std::size_t column = 0; column < known_.size(); ++column) {
      if (!has(column)) missing.push_back(known_[column]);
    }
    const auto meant = meant_by(name, missing, names);
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
                       .with_help(fmt::format("put a text with {} in double quotes",
                                              name_of_delimiter(csv.delimiter())))};
}

}  // namespace reeve::scenarios
