// Price histories as AWS tells them: one row for each change, of many types and zones.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "scenarios/records/market_reading.hpp"
#include "scenarios/text/csv_header.hpp"
#include "scenarios/text/quantity.hpp"
#include "scenarios/text/source.hpp"

namespace reeve::scenarios {
namespace {

using policy::Instant;
using policy::UsdPerHour;

enum Part : std::size_t { type, zone, product, part_count };

constexpr std::array<std::string_view, part_count> words{"instance type", "zone", "product"};
constexpr std::array<std::string_view, part_count> keys{"type", "zone", "product"};

/// Collects the changes of one series and knows the names of the others.
class PriceHistory {
 public:
  PriceHistory(std::string name, const PriceOptions& options)
      : name_{std::move(name)}, wanted_{options.type, options.zone, options.product} {}

  /// Whether a row of these names belongs to what is asked for.  E0336 if that is several series.
  bool wants(const std::array<std::string_view, part_count>& names) {
    for (std::size_t part = 0; part < part_count; ++part) {
      remember(seen_[part], names[part]);
      if (!wanted_[part].empty() && wanted_[part] != names[part]) return false;
    }
    for (std::size_t part = 0; part < part_count; ++part) {
      if (changes_.empty()) taken_[part] = names[part];
      if (taken_[part] == names[part]) continue;
      throw InputError{about_trace(
          name_, "E0336", fmt::format("the file has more than one {}", words[part]),
          fmt::format("choose one, for example \"{}\": {}", keys[part], in_quotes(taken_[part])))};
    }
    return true;
  }

  void add(Instant at, UsdPerHour price, std::uint64_t line, const Cell& stamp) {
    offsets_.note(stamp);
    const auto place = changes_.lower_bound(at);
    if (place == changes_.end() || place->first != at) {
      note_order(at, stamp);
      changes_.emplace_hint(place, at, Change{price, line});
    } else if (place->second.price == price) {
      if (duplicates_++ == 0) first_duplicate_ = as_warning(stamp.at("W0311", {}, "again"));
    } else {
      throw InputError{stamp.at("E0331", "two prices at one instant",
                                fmt::format("the other on line {}", place->second.line))};
    }
    last_ = at;
  }

  bool knows_type() const { return seen_[type].contains(wanted_[type]); }

  MarketTrace finish() {
    require_rows();
    MarketTrace trace;
    trace.begins = changes_.begin()->first;
    for (const auto& [at, change] : changes_) put(trace.prices, at - *trace.begins, change.price);
    trace.length = std::prev(changes_.end())->first - *trace.begins;
    if (duplicates_ > 0) {
      first_duplicate_->message =
          fmt::format("{} row{} duplicated", duplicates_, duplicates_ == 1 ? " is" : "s are");
      first_duplicate_->help = "the duplicates are dropped";
      trace.warnings.push_back(std::move(*first_duplicate_));
    }
    if (disorder_) trace.warnings.push_back(std::move(*disorder_));
    offsets_.tell(trace);
    return trace;
  }

 private:
  struct Change {
    UsdPerHour price;
    std::uint64_t line;
  };
  using Names = std::set<std::string, std::less<>>;

  static void remember(Names& names, std::string_view name) {
    if (!names.contains(name)) names.emplace(name);
  }

  // AWS answers newest first, so both orders are usual; anything between is worth a word.
  void note_order(Instant at, const Cell& stamp) {
    if (changes_.empty()) return;
    const bool back = at < last_;
    if (!disorder_ && changes_.size() > 1 && back != back_) {
      disorder_ = as_warning(stamp
                                 .at("W0314", "the rows are not sorted by time",
                                     back ? "goes back in time here" : "goes forward in time here")
                                 .with_help("reeve sorts them"));
    }
    back_ = back;
  }

  // Where no row was taken, some name asked for stands in none.
  void require_rows() const {
    if (!changes_.empty()) return;
    if (seen_[type].empty())
      throw InputError{about_trace(name_, "E0320", "the trace has no prices")};
    for (std::size_t of = 0; of < part_count; ++of) {
      if (wanted_[of].empty() || seen_[of].contains(wanted_[of])) continue;
      const std::vector<std::string_view> known{seen_[of].begin(), seen_[of].end()};
      throw InputError{about_trace(
          name_, "E0336", fmt::format("the trace has no {} {}", words[of], in_quotes(wanted_[of])),
          did_you_mean_of(wanted_[of], known))};
    }
  }

  std::string name_;
  std::array<std::string, part_count> wanted_;
  std::array<Names, part_count> seen_;         ///< of rows whose earlier names fit
  std::array<std::string, part_count> taken_;  ///< of the rows that belong to the series
  std::map<Instant, Change> changes_;
  Instant last_{};
  bool back_ = false;
  std::optional<Diagnostic> disorder_;
  Offsets offsets_;
  std::uint64_t duplicates_ = 0;
  std::optional<Diagnostic> first_duplicate_;
};

/// The prices of a type under one of two names: that of the fleet, where the file has it.
class Histories {
 public:
  Histories(const std::string& name, const PriceOptions& options) : own_{name, options} {
    if (options.other_type.empty()) return;
    PriceOptions other = options;
    other.type = options.other_type;
    other_.emplace(name, other);
  }

  /// Has `add` read the rest of a row into the series that it belongs to.
  template <class Add>
  void take(const std::array<std::string_view, part_count>& names, const Add& add) {
    if (own_.wants(names)) add(own_);
    if (other_ && !own_.knows_type() && other_->wants(names)) add(*other_);
  }

  MarketTrace finish() { return other_ && !own_.knows_type() ? other_->finish() : own_.finish(); }

 private:
  PriceHistory own_;
  std::optional<PriceHistory> other_;
};

struct PriceColumn {
  enum Index : std::size_t { instance_type, az, timestamp, product_name, usd_h, column_count };
};

constexpr std::array<std::string_view, PriceColumn::column_count> price_column_names{
    "instance_type", "az", "timestamp", "product", "spot_price_usd_h"};

Node cell_text(const Node& row, std::string_view key) {
  row.as_object();
  const auto found = row.find(key);
  if (!found) {
    throw InputError{
        at(row, "E0202", fmt::format("the key {} is missing", in_quotes(key)), "not in this row")};
  }
  found->as_text();
  return *found;
}

}  // namespace

MarketTrace read_price_table(CsvReader& csv, const PriceOptions& options) {
  const CsvHeader header = CsvHeader::read(csv, price_column_names, price_column_names);
  const auto cell = [&](PriceColumn::Index column) {
    return CsvCell{csv, header.field(column), price_column_names[column]};
  };
  const PriceReader prices{options.on_demand};
  Histories histories{csv.name(), options};
  while (csv.next()) {
    header.check_width(csv);
    histories.take({cell(PriceColumn::instance_type).text(), cell(PriceColumn::az).text(),
                    cell(PriceColumn::product_name).text()},
                   [&](PriceHistory& history) {
                     const CsvCell stamp = cell(PriceColumn::timestamp);
                     history.add(read_stamp(stamp.text(), stamp),
                                 prices.read(cell(PriceColumn::usd_h)), csv.line(), stamp);
                   });
  }
  MarketTrace trace = histories.finish();
  trace.warnings.insert(trace.warnings.begin(), header.warnings().begin(), header.warnings().end());
  return trace;
}

MarketTrace read_price_answer(const Document& document, const PriceOptions& options) {
  const Node root = document.root();
  root.as_object();
  const auto rows = root.find("SpotPriceHistory");
  if (!rows) {
    throw InputError{at(root, "E0202", "the key \"SpotPriceHistory\" is missing",
                        "not an answer of DescribeSpotPriceHistory")};
  }
  if (const auto token = root.find("NextToken"); token && !token->is_null()) {
    if (!token->as_text().empty()) {
      throw InputError{
          at(*token, "E0335", "the answer continues on another page", "the next page is missing")
              .with_help("query again with this token, or let the AWS CLI collect all pages")};
    }
  }
  const PriceReader prices{options.on_demand};
  Histories histories{document.source().name(), options};
  for (const Node row : rows->as_array()) {
    const std::array<std::string_view, part_count> names{
        cell_text(row, "InstanceType").as_text(), cell_text(row, "AvailabilityZone").as_text(),
        cell_text(row, "ProductDescription").as_text()};
    histories.take(names, [&](PriceHistory& history) {
      const Node stamp = cell_text(row, "Timestamp");
      const Node price = cell_text(row, "SpotPrice");
      const JsonCell at{stamp, "Timestamp"};
      history.add(read_stamp(at.text(), at), prices.read(JsonCell{price, "SpotPrice"}),
                  document.source().position(stamp.offset()).line, at);
    });
  }
  return histories.finish();
}

}  // namespace reeve::scenarios
