#include "scenarios/records/price_book.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <sstream>
#include <utility>

#include "scenarios/text/quantity.hpp"
#include "scenarios/text/source.hpp"

namespace reeve::scenarios {
namespace {

constexpr std::uint64_t book_limit = std::uint64_t{64} << 20;
constexpr std::size_t row_limit = std::size_t{64} << 10;
constexpr std::int64_t most_book_nanos = 10'000'000'000'000;  // $10,000: no machine costs as much

// In the order in which the form lists them.
struct BookColumn {
  enum Index : std::size_t {
    valid_from,
    region,
    service,
    market,
    instance_type,
    usd_per_hour,
    accelerators,
    managed,
    source,
    retrieved,
    confidence,
    column_count,
  };
};

constexpr std::array<std::string_view, BookColumn::column_count> book_column_names{
    "valid_from",   "region",  "service", "market",    "instance_type", "usd_per_hour",
    "accelerators", "managed", "source",  "retrieved", "confidence"};

constexpr std::array<std::string_view, 2> service_names{"ec2", "sagemaker"};
constexpr std::array<std::string_view, 6> market_names{
    "on_demand", "spot", "spot_savings", "spot_band", "reserved_1y", "capacity_block"};
constexpr std::array<std::string_view, 4> confidences{"list", "derived", "secondary", "snapshot"};

bool may_be_empty(std::size_t column) {
  return column == BookColumn::managed || column == BookColumn::retrieved ||
         column == BookColumn::confidence;
}

std::optional<std::uint64_t> whole_number(std::string_view text, std::uint64_t most) {
  const auto value = parse_decimal(text, 0);
  if (!value || *value < 0 || static_cast<std::uint64_t>(*value) > most) return std::nullopt;
  return static_cast<std::uint64_t>(*value);
}

/// Turns the records of one book into rows and findings.
class BookReader {
 public:
  explicit BookReader(CsvReader csv) : csv_{std::move(csv)} {}

  std::vector<PriceRow> read() {
    read_header();
    while (!findings_.full() && next_record()) read_row();
    if (findings_.errors() > 0) throw InputError{findings_.sorted()};
    if (rows_.empty()) refuse_empty("the price book has a header but no prices");
    return std::move(rows_);
  }

 private:
  [[noreturn]] void refuse_empty(std::string message) const {
    Diagnostic empty;
    empty.code = "E0349";
    empty.file = csv_.name();
    empty.message = std::move(message);
    empty.help =
        fmt::format("name the columns in the first line: {}", fmt::join(book_column_names, ","));
    throw InputError{std::move(empty)};
  }

  bool next_record() {
    while (csv_.next()) {
      if (!csv_.fields()[0].starts_with('#')) return true;
    }
    return false;
  }

  void read_header() {
    if (!next_record()) refuse_empty("the price book is empty");
    place_.fill(BookColumn::column_count);
    for (std::size_t i = 0; i < csv_.fields().size(); ++i) {
      const std::string_view name = csv_.fields()[i];
      const auto known = std::find(book_column_names.begin(), book_column_names.end(), name);
      if (known == book_column_names.end()) {
        throw InputError{csv_.at(i, "E0341", fmt::format("unknown column {}", in_quotes(name)),
                                 "not a column of price books")
                             .with_help(did_you_mean(name, book_column_names))};
      }
      std::size_t& place = place_[static_cast<std::size_t>(known - book_column_names.begin())];
      if (place != BookColumn::column_count) {
        throw InputError{
            csv_.at(i, "E0322", fmt::format("duplicate column {}", in_quotes(name)), "again here")};
      }
      place = i;
    }
    width_ = csv_.fields().size();
    for (std::size_t column = 0; column < BookColumn::column_count; ++column) {
      if (place_[column] != BookColumn::column_count) continue;
      throw InputError{
          csv_.at(width_, "E0321",
                  fmt::format("the column {} is missing", in_quotes(book_column_names[column])),
                  "not in the header")};
    }
  }

  std::string_view text(BookColumn::Index column) const { return csv_.fields()[place_[column]]; }

  void error(BookColumn::Index column, std::string_view code, std::string message,
             std::string label, std::string help = {}) {
    Diagnostic found = csv_.at(place_[column], code, std::move(message), std::move(label));
    found.help = std::move(help);
    findings_.add(std::move(found));
  }

  void read_row() {
    if (csv_.fields().size() != width_) {
      const std::size_t found = csv_.fields().size();
      findings_.add(
          csv_.at(std::min(found, width_), "E0312",
                  fmt::format("the header has {} columns, this line has {}", width_, found),
                  found < width_ ? "fields are missing" : "extra field")
              .with_help("put a text with a comma in double quotes"));
      return;
    }
    const std::size_t before = findings_.errors();
    for (std::size_t column = 0; column < BookColumn::column_count; ++column) {
      const auto place = static_cast<BookColumn::Index>(column);
      if (!text(place).empty() || may_be_empty(column)) continue;
      error(place, "E0345", fmt::format("the price has no {}", book_column_names[column]), "empty",
            column == BookColumn::source ? "name the public page, list or contract that states it"
                                         : "");
    }
    if (findings_.errors() > before) return;
    PriceRow row;
    row.line = csv_.line();
    read_words(row);
    read_days(row);
    read_amount(row);
    read_numbers(row);
    if (findings_.errors() == before) add(std::move(row));
  }

  template <class Choice, std::size_t Size>
  void choice(BookColumn::Index column, const std::array<std::string_view, Size>& words,
              Choice& into) {
    const auto known = std::find(words.begin(), words.end(), text(column));
    if (known != words.end()) {
      into = static_cast<Choice>(known - words.begin());
      return;
    }
    error(column, "E0342",
          fmt::format("{}: unknown value {}", book_column_names[column], in_quotes(text(column))),
          "not one of the choices", did_you_mean(text(column), words));
  }

  void read_words(PriceRow& row) {
    row.region = text(BookColumn::region);
    row.source = text(BookColumn::source);
    row.key.type = text(BookColumn::instance_type);
    choice(BookColumn::service, service_names, row.key.service);
    choice(BookColumn::market, market_names, row.key.market);
    std::size_t known = 0;
    if (!text(BookColumn::confidence).empty()) choice(BookColumn::confidence, confidences, known);
    row.confidence = text(BookColumn::confidence);
    if (const bool of_service = text(BookColumn::service) == "sagemaker";
        of_service != is_managed_name(row.key.type)) {
      error(BookColumn::instance_type, "E0342",
            fmt::format("{} is not an instance type of {}", in_quotes(row.key.type),
                        text(BookColumn::service)),
            "SageMaker names begin with \"ml.\", EC2 names do not");
    }
    if (!rows_.empty() && row.region != rows_.front().region) {
      error(
          BookColumn::region, "E0342",
          fmt::format("{} in a book of {}", in_quotes(row.region), in_quotes(rows_.front().region)),
          "another region", "one book has the prices of one region");
    }
  }

  std::optional<Day> day(BookColumn::Index column) {
    const auto read = parse_day(text(column));
    if (!read) {
      error(column, "E0341",
            fmt::format("{} is not a date: {}", book_column_names[column], in_quotes(text(column))),
            "expected YYYY-MM-DD");
    }
    return read;
  }

  void read_days(PriceRow& row) {
    row.valid_from = day(BookColumn::valid_from).value_or(Day{});
    if (!text(BookColumn::retrieved).empty()) row.retrieved = day(BookColumn::retrieved);
    if (!row.retrieved || *row.retrieved >= row.valid_from) return;
    error(BookColumn::retrieved, "E0281",
          fmt::format("seen on {}, in force from {}", show(*row.retrieved), show(row.valid_from)),
          "before valid_from", "write the last day on which the source showed the price");
  }

  void read_amount(PriceRow& row) {
    if (row.key.market == PriceMarket::spot_savings) return read_savings(row);
    if (row.key.market == PriceMarket::spot_band) return read_band(row);
    const auto price = parse_usd_per_hour(text(BookColumn::usd_per_hour));
    if (!price) {
      error(BookColumn::usd_per_hour, price.problem().code, price.problem().message,
            price.problem().label, price.problem().help);
      return;
    }
    row.price = *price;
    if (price->nanos > most_book_nanos) {
      error(BookColumn::usd_per_hour, "E0280",
            fmt::format("a price of {} per hour", text(BookColumn::usd_per_hour)),
            "more than $10,000 for one instance",
            "write dollars per hour, not cents and not a monthly price");
    }
    if (price->nanos <= 0) {
      error(BookColumn::usd_per_hour, "E0348",
            fmt::format("a price of {}", text(BookColumn::usd_per_hour)),
            "must be more than $0 per hour", "remove the row if there is no such offer");
    }
  }

  void read_savings(PriceRow& row) {
    std::string_view digits = text(BookColumn::usd_per_hour);
    const bool percent = digits.ends_with('%');
    if (percent) digits.remove_suffix(1);
    const auto value = whole_number(digits, 99);
    if (percent && value) {
      row.low_percent = row.high_percent = static_cast<std::uint8_t>(*value);
      return;
    }
    error(BookColumn::usd_per_hour, "E0341",
          fmt::format("invalid savings: {}", in_quotes(text(BookColumn::usd_per_hour))),
          "expected a whole percentage below 100: 67%");
  }

  void read_band(PriceRow& row) {
    const std::string_view written = text(BookColumn::usd_per_hour);
    const std::size_t dash = std::min(written.find('-'), written.size());
    const auto low = whole_number(written.substr(0, dash), 100);
    const auto high = whole_number(written.substr(std::min(dash + 1, written.size())), 100);
    if (low && high && *low < *high) {
      row.low_percent = static_cast<std::uint8_t>(*low);
      row.high_percent = static_cast<std::uint8_t>(*high);
      return;
    }
    error(BookColumn::usd_per_hour, "E0341", fmt::format("invalid band: {}", in_quotes(written)),
          "expected a range in percent: 10-15");
  }

  void read_numbers(PriceRow& row) {
    const auto count = whole_number(text(BookColumn::accelerators), 100'000);
    if (count) row.accelerators = static_cast<std::uint32_t>(*count);
    if (!count) {
      error(
          BookColumn::accelerators, "E0341",
          fmt::format("accelerators is not a count: {}", in_quotes(text(BookColumn::accelerators))),
          "expected a whole number, 0 for none");
    }
    const auto [known, added] =
        accelerators_.try_emplace(row.key.type, Counted{row.accelerators, row.line});
    if (count && !added && known->second.accelerators != row.accelerators) {
      error(BookColumn::accelerators, "E0282",
            fmt::format("{} has {} accelerators here and {} elsewhere", in_quotes(row.key.type),
                        row.accelerators, known->second.accelerators),
            fmt::format("the other on line {}", known->second.line),
            "write the same number in all rows of an instance type");
    }
    if (text(BookColumn::managed).empty()) return;
    row.managed = text(BookColumn::managed) == "true";
    if (*row.managed || text(BookColumn::managed) == "false") return;
    error(BookColumn::managed, "E0342",
          fmt::format("managed: unknown value {}", in_quotes(text(BookColumn::managed))),
          "not one of the choices", "write true or false, or leave it empty if unknown");
  }

  /// Dates of one key ascend, so that a person sees a price's history from top to bottom.
  void add(PriceRow row) {
    const auto [newest, first] = newest_.try_emplace(row.key, rows_.size());
    if (!first) {
      const PriceRow& before = rows_[newest->second];
      if (row.valid_from == before.valid_from) {
        error(BookColumn::valid_from, "E0343",
              fmt::format("a second price for {} from {}", in_quotes(row.key.type),
                          show(row.valid_from)),
              fmt::format("first on line {}", before.line));
        return;
      }
      if (row.valid_from < before.valid_from) {
        error(BookColumn::valid_from, "E0344",
              fmt::format("{} comes after {}", show(row.valid_from), show(before.valid_from)),
              fmt::format("line {} has a later date", before.line),
              "sort the rows of one service, market and type by date");
        return;
      }
      newest->second = rows_.size();
    }
    rows_.push_back(std::move(row));
  }

  struct Counted {
    std::uint32_t accelerators;
    std::uint64_t line;
  };

  CsvReader csv_;
  std::array<std::size_t, BookColumn::column_count> place_{};
  std::size_t width_ = 0;
  Findings findings_;
  std::vector<PriceRow> rows_;
  std::map<PriceKey, std::size_t> newest_;
  std::map<std::string, Counted, std::less<>> accelerators_;
};

CsvReader csv_of(const std::string& name, std::unique_ptr<std::istream> input) {
  return CsvReader{name, Inflater{name, std::move(input), book_limit}, row_limit};
}

}  // namespace

std::optional<Day> parse_day(std::string_view text) {
  if (text.size() != 10) return std::nullopt;
  const auto midnight = parse_instant(fmt::format("{}T00:00:00Z", text));
  if (!midnight) return std::nullopt;
  return std::chrono::floor<std::chrono::days>(*midnight);
}

std::string show(Day day) {
  const std::chrono::year_month_day date{day};
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
}

std::string_view name_of(PriceService service) {
  return service_names[static_cast<std::size_t>(service)];
}

std::string_view name_of(PriceMarket market) {
  return market_names[static_cast<std::size_t>(market)];
}

PriceBook::PriceBook(std::string name, CsvReader csv)
    : name_{std::move(name)}, rows_{BookReader{std::move(csv)}.read()} {}

PriceBook PriceBook::from_file(const std::filesystem::path& path) {
  require_file(path);
  return {path.string(),
          csv_of(path.string(), std::make_unique<std::ifstream>(path, std::ios::binary))};
}

PriceBook PriceBook::from_text(std::string name, std::string_view text) {
  CsvReader csv = csv_of(name, std::make_unique<std::istringstream>(std::string{text}));
  return {std::move(name), std::move(csv)};
}

const PriceRow* PriceBook::find(const PriceKey& key, Day day) const {
  const PriceRow* newest = nullptr;
  for (const PriceRow& row : rows_) {
    if (row.valid_from <= day && row.key == key) newest = &row;
  }
  return newest;
}

const PriceRow* PriceBook::first(const PriceKey& key) const {
  const auto found = std::find_if(rows_.begin(), rows_.end(),
                                  [&key](const PriceRow& row) { return row.key == key; });
  return found == rows_.end() ? nullptr : &*found;
}

std::vector<const PriceRow*> PriceBook::in_force(std::optional<Day> day) const {
  std::map<PriceKey, const PriceRow*> newest;
  for (const PriceRow& row : rows_) {
    if (!day || row.valid_from <= *day) newest[row.key] = &row;
  }
  std::vector<const PriceRow*> rows;
  rows.reserve(newest.size());
  for (const auto& [key, row] : newest) rows.push_back(row);
  return rows;
}

std::set<std::string_view> PriceBook::types() const {
  std::set<std::string_view> names;
  for (const PriceRow& row : rows_) names.insert(row.key.type);
  return names;
}

std::optional<PriceBookReference> parse_book_reference(std::string_view text) {
  PriceBookReference reference;
  const std::size_t mark = text.rfind('@');
  if (mark != text.npos) {
    reference.date = parse_day(text.substr(mark + 1));
    if (!reference.date) return std::nullopt;
  }
  reference.book = text.substr(0, mark);
  reference.is_file = reference.book.ends_with(".csv");
  return reference;
}

std::shared_ptr<const PriceBook> built_in_price_book(std::string_view name) {
  static const std::vector<std::shared_ptr<const PriceBook>> books = [] {
    std::vector<std::shared_ptr<const PriceBook>> read;
    for (const PriceBookText& book : price_book_texts()) {
      read.push_back(std::make_shared<const PriceBook>(
          PriceBook::from_text(std::string{book.name}, book.text)));
    }
    return read;
  }();
  const auto found = std::find_if(books.begin(), books.end(),
                                  [name](const auto& book) { return book->name() == name; });
  return found == books.end() ? nullptr : *found;
}

std::string managed_name(std::string_view ec2_type) {
  return fmt::format("ml.{}", ec2_type);
}

std::string_view ec2_name(std::string_view managed_type) {
  return managed_type.substr(is_managed_name(managed_type) ? 3 : 0);
}

bool is_managed_name(std::string_view type) {
  return type.starts_with("ml.");
}

double ManagedPremium::ratio() const {
  return static_cast<double>(managed->price.nanos) / static_cast<double>(ec2->price.nanos);
}

}  // namespace reeve::scenarios
