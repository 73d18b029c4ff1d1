// reeve prices: the dated price books, what changed between two days, and whether a file is one.
#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "app/command.hpp"
#include "app/exit_code.hpp"
#include "app/session.hpp"
#include "app/usage_error.hpp"
#include "report/format.hpp"
#include "report/table.hpp"
#include "scenarios/records/price_book.hpp"

namespace reeve::app {
namespace {

using nlohmann::ordered_json;
using report::Align;
using scenarios::Day;
using scenarios::ManagedPremium;
using scenarios::PriceBook;
using scenarios::PriceKey;
using scenarios::PriceRow;
using scenarios::show;

struct PricesArguments {
  std::string action;
  std::vector<std::string> books;
  std::string type;  ///< a glob; empty: every type
  bool premium = false;
};

/// A book as named on the command line, and the day asked for.
struct Opened {
  std::shared_ptr<const PriceBook> book;
  std::optional<Day> day;

  std::string title() const {
    return day ? fmt::format("{}@{}", book->name(), show(*day)) : book->name();
  }
};

Opened open_book(const std::string& text) {
  const auto reference = scenarios::parse_book_reference(text);
  if (!reference) {
    const std::string day = text.substr(text.rfind('@') + 1);
    const bool dated = day.size() == 10 && day.find_first_not_of("0123456789-") == day.npos;
    throw UsageError{dated ? fmt::format("invalid date {}", day)
                           : "no date after the @ of " + scenarios::in_quotes(text),
                     "write BOOK@YYYY-MM-DD"};
  }
  if (reference->is_file) {
    return {std::make_shared<const PriceBook>(PriceBook::from_file(reference->book)),
            reference->date};
  }
  auto book = scenarios::built_in_price_book(reference->book);
  if (book) return {std::move(book), reference->date};
  std::vector<std::string_view> names;
  for (const auto& known : scenarios::price_book_texts()) names.push_back(known.name);
  throw UsageError{"there is no price book " + scenarios::in_quotes(reference->book),
                   scenarios::did_you_mean(reference->book, names)};
}

/// The book asked for, else the first that is part of the program.
Opened only_book(const PricesArguments& arguments) {
  if (arguments.books.size() > 1)
    throw UsageError{"list takes one price book", "name one price book"};
  if (arguments.books.empty()) return open_book(std::string{scenarios::price_book_texts()[0].name});
  return open_book(arguments.books.front());
}

bool matches(const PricesArguments& arguments, const std::string& type) {
  return arguments.type.empty() || fnmatch(arguments.type.c_str(), type.c_str(), 0) == 0;
}

[[noreturn]] void refuse_pattern(const PricesArguments& arguments, const PriceBook& book) {
  throw UsageError{fmt::format("{} has no type that matches {}", book.name(),
                               scenarios::in_quotes(arguments.type)),
                   scenarios::did_you_mean(arguments.type, book.types())};
}

/// Types that the book has, but not of both services.
[[noreturn]] void refuse_premium(const PricesArguments& arguments, const PriceBook& book) {
  const auto types = book.types();
  const bool known = std::any_of(types.begin(), types.end(), [&](std::string_view type) {
    return matches(arguments, std::string{type});
  });
  if (!known) refuse_pattern(arguments, book);
  throw UsageError{fmt::format("of {} {} has no price of SageMaker beside one of EC2",
                               scenarios::in_quotes(arguments.type), book.name()),
                   "use SageMaker types: --type 'ml.*'"};
}

double dollars_of(const PriceRow& row) {
  return static_cast<double>(row.price.nanos) / 1e9;
}

std::string amount_text(const PriceRow& row) {
  if (in_dollars(row.key.market)) return report::price(row.price);
  if (row.low_percent == row.high_percent) return fmt::format("{} %", row.low_percent);
  return fmt::format("{}–{} %", row.low_percent, row.high_percent);
}

void print_books(const Console& console, const report::Table& table, const ordered_json& json) {
  if (!console.json) return console.print(table);
  console.print(json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + '\n');
}

void put_amount(ordered_json& out, const PriceRow& row) {
  if (in_dollars(row.key.market)) {
    out["usd_per_hour"] = dollars_of(row);
  } else if (row.low_percent == row.high_percent) {
    out["savings_pct"] = row.low_percent;
  } else {
    out["reclaimed_pct"] = {row.low_percent, row.high_percent};
  }
}

ordered_json row_json(const PriceRow& row) {
  ordered_json out{{"service", name_of(row.key.service)},
                   {"market", name_of(row.key.market)},
                   {"instance_type", row.key.type}};
  put_amount(out, row);
  out["valid_from"] = show(row.valid_from);
  if (row.retrieved) out["retrieved"] = show(*row.retrieved);
  out["accelerators"] = row.accelerators;
  if (row.managed) out["managed"] = *row.managed;
  out["confidence"] = row.confidence;
  out["source"] = row.source;
  return out;
}

/// Without a day the whole book, with one the rows in force.
std::vector<const PriceRow*> rows_of(const PricesArguments& arguments, const Opened& opened) {
  std::vector<const PriceRow*> rows;
  if (opened.day) {
    rows = opened.book->in_force(opened.day);
  } else {
    for (const PriceRow& row : opened.book->rows()) rows.push_back(&row);
  }
  std::erase_if(rows, [&](const PriceRow* row) { return !matches(arguments, row->key.type); });
  return rows;
}

/// Each source once below the table; of a book with very many the last stand in its JSON only.
class Footnotes {
 public:
  explicit Footnotes(std::vector<std::string>& texts) : texts_{texts} {}

  /// From 1; 0 where there is no room.
  std::uint8_t of(const std::string& text) {
    auto known = std::find(texts_.begin(), texts_.end(), text);
    if (known == texts_.end()) {
      if (texts_.size() == 99) return 0;
      known = texts_.insert(known, text);
    }
    return static_cast<std::uint8_t>(known - texts_.begin() + 1);
  }

 private:
  std::vector<std::string>& texts_;
};

Day first_day_of(const PriceBook& book) {
  Day first = Day::max();
  for (const PriceRow& row : book.rows()) first = std::min(first, row.valid_from);
  return first;
}

int list(const PricesArguments& arguments, const Console& console) {
  const Opened opened = only_book(arguments);
  const auto rows = rows_of(arguments, opened);
  if (rows.empty() && !arguments.type.empty()) refuse_pattern(arguments, *opened.book);
  report::Table table;
  table.facts = {{opened.title(), scenarios::counted(rows.size(), "row")}};
  table.columns = {
      {"instance_type", "type", Align::left}, {"service", "service", Align::left},
      {"market", "market", Align::left},      {"usd_per_hour", "price"},
      {"valid_from", "from", Align::left},    {"retrieved", "last seen", Align::left},
      {"accelerators", "accelerators"},       {"confidence", "confidence", Align::left}};
  ordered_json json{{"book", opened.book->name()}};
  if (opened.day) json["date"] = show(*opened.day);
  json["rows"] = ordered_json::array();
  Footnotes sources{table.footnotes};
  for (const PriceRow* row : rows) {
    json["rows"].push_back(row_json(*row));
    const report::Cell price = report::cell(amount_text(*row));
    const std::uint8_t mark = sources.of(row->source);
    table.rows.push_back(
        {{report::cell(row->key.type), report::cell(name_of(row->key.service)),
          report::cell(name_of(row->key.market)), mark > 0 ? report::marked(price, mark) : price,
          report::cell(show(row->valid_from)), report::cell(show(row->last_seen())),
          report::cell(std::uint64_t{row->accelerators}), report::cell(row->confidence)}});
  }
  if (opened.day && *opened.day < first_day_of(*opened.book)) {
    table.closing.push_back({fmt::format("no price is known on that day: the book begins on {}",
                                         show(first_day_of(*opened.book))),
                             report::Tone::bad});
  } else if (opened.day) {
    table.closing.push_back(
        {fmt::format("in a scenario: \"prices\": {{ \"book\": \"{}\" }}", opened.title()),
         report::Tone::faint});
  }
  print_books(console, table, json);
  return ExitCode::done;
}

int premium(const PricesArguments& arguments, const Console& console) {
  const Opened opened = only_book(arguments);
  auto premiums = managed_premiums(*opened.book, opened.day);
  std::erase_if(premiums, [&](const ManagedPremium& of) {
    return !matches(arguments, of.managed->key.type);
  });
  if (premiums.empty() && !arguments.type.empty()) refuse_premium(arguments, *opened.book);
  report::Table table;
  table.facts = {{opened.title(), "SageMaker training vs EC2, on-demand"}};
  table.columns = {{"instance_type", "type", Align::left}, {"managed_usd_per_hour", "managed"},
                   {"managed_from", "from", Align::left},  {"ec2_usd_per_hour", "EC2"},
                   {"ec2_from", "from", Align::left},      {"ratio", "ratio"}};
  ordered_json json{{"book", opened.book->name()}, {"premiums", ordered_json::array()}};
  if (opened.day) json["date"] = show(*opened.day);
  for (const ManagedPremium& of : premiums) {
    json["premiums"].push_back({{"instance_type", of.managed->key.type},
                                {"managed_usd_per_hour", dollars_of(*of.managed)},
                                {"managed_from", show(of.managed->valid_from)},
                                {"ec2_usd_per_hour", dollars_of(*of.ec2)},
                                {"ec2_from", show(of.ec2->valid_from)},
                                {"ratio", of.ratio()}});
    table.rows.push_back(
        {{report::cell(of.managed->key.type), report::cell(amount_text(*of.managed)),
          report::cell(show(of.managed->valid_from)), report::cell(amount_text(*of.ec2)),
          report::cell(show(of.ec2->valid_from)),
          report::cell(of.ratio(), fmt::format("{:.4f}", of.ratio()))}});
  }
  print_books(console, table, json);
  return ExitCode::done;
}

/// One price on two days; either may be missing, not both.
struct PriceChange {
  const PriceRow* before = nullptr;
  const PriceRow* after = nullptr;

  bool is_one() const { return !before || !after || amount_text(*before) != amount_text(*after); }
  std::string_view kind() const { return !before ? "added" : !after ? "removed" : "changed"; }
  std::optional<double> percent() const {
    if (!before || !after || !in_dollars(before->key.market)) return std::nullopt;
    return 100 * (dollars_of(*after) / dollars_of(*before) - 1);
  }
  std::string text() const {
    const auto by = percent();
    if (!by) return std::string{kind()};
    return fmt::format("{}{:.1f} %", *by < 0 ? "−" : "+", std::abs(*by));
  }
};

std::map<PriceKey, PriceChange> changes(const Opened& before, const Opened& after) {
  std::map<PriceKey, PriceChange> all;
  for (const PriceRow* row : before.book->in_force(before.day)) all[row->key].before = row;
  for (const PriceRow* row : after.book->in_force(after.day)) all[row->key].after = row;
  std::erase_if(all, [](const auto& entry) { return !entry.second.is_one(); });
  return all;
}

int diff(const PricesArguments& arguments, const Console& console) {
  if (arguments.books.size() != 2) {
    throw UsageError{"diff compares two price books",
                     "reeve prices diff aws-us-east-1@2025-06-01 aws-us-east-1@2025-07-01"};
  }
  const Opened before = open_book(arguments.books[0]);
  const Opened after = open_book(arguments.books[1]);
  report::Table table;
  table.facts = {{before.title() + " → " + after.title()}};
  table.columns = {{"instance_type", "type", Align::left},
                   {"service", "service", Align::left},
                   {"market", "market", Align::left},
                   {"before", "before"},
                   {"after", "after"},
                   {"change", "change"}};
  ordered_json json{{"before", before.title()}, {"after", after.title()}};
  json["changes"] = ordered_json::array();
  for (const auto& [key, change] : changes(before, after)) {
    if (!matches(arguments, key.type)) continue;
    ordered_json out{{"instance_type", key.type},
                     {"service", name_of(key.service)},
                     {"market", name_of(key.market)},
                     {"change", change.kind()}};
    if (change.before) out["before"] = row_json(*change.before);
    if (change.after) out["after"] = row_json(*change.after);
    if (const auto by = change.percent()) out["percent"] = *by;
    json["changes"].push_back(std::move(out));
    table.rows.push_back(
        {{report::cell(key.type), report::cell(name_of(key.service)),
          report::cell(name_of(key.market)),
          change.before ? report::cell(amount_text(*change.before)) : report::no_cell(),
          change.after ? report::cell(amount_text(*change.after)) : report::no_cell(),
          report::cell(change.text())}});
  }
  if (table.rows.empty()) table.closing.push_back({"no price differs", report::Tone::faint});
  print_books(console, table, json);
  return ExitCode::done;
}

ordered_json summary_json(const PriceBook& book) {
  std::set<std::string_view> sources;
  std::set<Day> days;
  for (const PriceRow& row : book.rows()) {
    sources.insert(row.source);
    days.insert(row.valid_from);
  }
  return {{"file", book.name()},          {"rows", book.rows().size()},
          {"types", book.types().size()}, {"first", show(*days.begin())},
          {"last", show(*days.rbegin())}, {"sources", sources.size()}};
}

int validate(const PricesArguments& arguments, const Console& console) {
  if (arguments.books.empty()) {
    throw UsageError{"validate needs a FILE", "reeve prices validate prices/*.csv"};
  }
  int exit_code = ExitCode::done;
  std::vector<scenarios::Diagnostic> found;
  ordered_json json{{"files", ordered_json::array()}};
  std::string text;
  for (const std::string& file : arguments.books) {
    try {
      const PriceBook book = PriceBook::from_file(file);
      const std::vector<scenarios::Diagnostic> doubts = scenarios::doubts(book);
      found.insert(found.end(), doubts.begin(), doubts.end());
      const ordered_json summary = summary_json(book);
      json["files"].push_back(summary);
      text += fmt::format("{}: {}, {}, dates {}…{}, sources {}\n", file,
                          scenarios::counted(summary["rows"].get<std::size_t>(), "row"),
                          scenarios::counted(summary["types"].get<std::size_t>(), "type"),
                          summary["first"].get<std::string>(), summary["last"].get<std::string>(),
                          summary["sources"].get<std::size_t>());
    } catch (const scenarios::InputError& error) {
      found.insert(found.end(), error.diagnostics().begin(), error.diagnostics().end());
      exit_code = ExitCode::invalid;
    }
  }
  json["diagnostics"] = ordered_json::array();
  for (const auto& one : found) json["diagnostics"].push_back(diagnostic_json(one));
  json["exit"] = exit_code;
  if (!found.empty()) {
    text += scenarios::render(found, {.colour = console.colour_out(), .columns = 100});
    text += scenarios::render_summary(found, exit_code);
  }
  if (console.json) {
    text = json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + '\n';
  }
  console.print(text);
  return exit_code;
}

int prices(const PricesArguments& arguments, const Console& console) {
  if (arguments.premium && arguments.action != "list") {
    throw UsageError{"--premium works only with list", "reeve prices list --premium"};
  }
  if (arguments.action == "validate") return validate(arguments, console);
  if (arguments.action == "diff") return diff(arguments, console);
  return arguments.premium ? premium(arguments, console) : list(arguments, console);
}

}  // namespace

void add_prices(Program& program, Session& session) {
  auto arguments = std::make_shared<PricesArguments>();
  Command& command =
      add_command(program, "prices", "Dated price books: list, compare, validate",
                  "reeve prices list aws-us-east-1@2026-07-20 --type 'p*'\n"
                  "reeve prices list --premium\n"
                  "reeve prices diff aws-us-east-1@2025-06-01 aws-us-east-1@2025-07-01\n"
                  "reeve prices validate prices/ours.csv");
  command.option("ACTION", &arguments->action, "list, diff or validate",
                 {.required = true, .one_of = {"list", "diff", "validate"}});
  command.option("BOOK", &arguments->books, "A book, as of a day: BOOK[@YYYY-MM-DD], or a FILE");
  command.option("--type", &arguments->type, "Only types like this: 'ml.p*'");
  command.option("--premium", &arguments->premium, "What SageMaker adds to the price of EC2");
  on_parse(command, session, [&session, arguments] { return prices(*arguments, session.console); });
}

}  // namespace reeve::app
