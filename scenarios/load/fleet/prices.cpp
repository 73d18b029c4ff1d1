// The prices of a scenario: those it states itself, and those of a dated book.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <set>

#include "scenarios/load/fleet/steps.hpp"
#include "scenarios/load/resolved/live_types.hpp"
#include "sim/draws.hpp"

namespace reeve::scenarios {
namespace {

/// Of an hour, in price books as well (E0280).
constexpr UsdPerHour highest_listed{10'000'000'000'000};

bool is_managed_platform(const Loading& loading) {
  return loading.input.platform.platform.model == models::PlatformModel::sagemaker_training;
}

Day first_day(const Loading& loading) {
  return std::chrono::floor<std::chrono::days>(loading.scenario.world.start);
}

PriceKey price_key(std::string_view type) {
  const auto service = is_managed_name(type) ? PriceService::sagemaker : PriceService::ec2;
  return {service, PriceMarket::on_demand, std::string{type}};
}

const InstanceTypeInput* inline_type(const Loading& loading, std::string_view name) {
  for (const auto& [known, type] : loading.input.prices.instances) {
    if (known == name) return &type;
  }
  return nullptr;
}

/// A price less so many percent, to the nearest nano-dollar.
UsdPerHour saved(UsdPerHour price, double percent) {
  constexpr std::int64_t whole = 100'000'000'000;
  const auto rest = static_cast<std::int64_t>(std::llround((100 - percent) * 1e9));
  const models::Charge exact = models::Charge{price.nanos} * rest;
  return {static_cast<std::int64_t>((exact + whole / 2) / whole)};
}

std::shared_ptr<const PriceBook> open_book_file(Loading& loading, const std::string& file,
                                                const Node& node) {
  const std::filesystem::path path = loading.folder / file;
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) {  // a pipe or a device might never end
    loading.error(node, "E0340", fmt::format("price book {} not found", in_quotes(file)),
                  "paths are relative to this file");
    return nullptr;
  }
  loading.scenario.files.insert(file);
  try {
    return std::make_shared<const PriceBook>(PriceBook::from_file(path));
  } catch (const InputError& found) {
    loading.findings.add(found);
    return nullptr;
  }
}

std::shared_ptr<const PriceBook> open_built_in(Loading& loading, const std::string& name,
                                               const Node& node) {
  auto book = built_in_price_book(name);
  if (!book) {
    std::vector<std::string_view> names{"inline"};
    for (const PriceBookText& known : price_book_texts()) names.push_back(known.name);
    loading.error(node, "E0340", fmt::format("price book {} not found", in_quotes(name)),
                  "neither a built-in price book nor a CSV file", did_you_mean(name, names));
  }
  return book;
}

void load_book(Loading& loading, const Node& node) {
  const std::string& written = loading.input.prices.book;
  const auto reference = parse_book_reference(written);
  if (!reference) {
    loading.error(node, "E0341", fmt::format("no date follows the @ in {}", in_quotes(written)),
                  "expected BOOK@YYYY-MM-DD");
    return;
  }
  const Day start = first_day(loading);
  loading.prices.day = reference->date.value_or(start);
  loading.scenario.price_book = fmt::format("{}@{}", reference->book, show(loading.prices.day));
  loading.prices.book = reference->is_file ? open_book_file(loading, reference->book, node)
                                           : open_built_in(loading, reference->book, node);
  if (!loading.prices.book || loading.input.live || loading.prices.day <= start) return;
  loading.error(
      node, "E0346",
      fmt::format("the price book of {} is later than the clock's start, {}",
                  show(loading.prices.day), show(start)),
      "after the start of the clock",
      fmt::format("write \"{}@{}\", or start the clock later", reference->book, show(start)));
}

/// What a book may not hold either.
void warn_if_absurd(Loading& loading, const std::string& name, const InstanceTypeInput& type) {
  const auto price = type.written ? type.written->find("usd_per_hour") : std::nullopt;
  if (!price || type.price <= highest_listed) return;
  loading.warning(*price, "W0496",
                  fmt::format("an hour of {} costs more than $10,000", in_quotes(name)),
                  "used as written", "check whether it is in cents or per month");
}

/// The types of the file as fleets use them first, then by name: keys of an object have no order.
std::vector<std::pair<std::string, InstanceTypeInput>> types_in_order(const Loading& loading) {
  std::map<std::string_view, std::size_t> first_use;
  for (const PoolInput& pool : loading.input.fleet) {
    first_use.try_emplace(pool.instance_type, first_use.size());
  }
  auto types = loading.input.prices.instances;
  const auto place = [&](const auto& type) {
    const auto used = first_use.find(type.first);
    return used == first_use.end() ? first_use.size() : used->second;
  };
  std::stable_sort(types.begin(), types.end(), [&](const auto& a, const auto& b) {
    return std::pair{place(a), std::string_view{a.first}} <
           std::pair{place(b), std::string_view{b.first}};
  });
  return types;
}

void load_inline(Loading& loading) {
  for (const auto& [name, type] : types_in_order(loading)) {
    if (type.written) {
      check_file_name(name, "the name of an instance type", *type.written, loading.findings);
    }
    loading.world().directory.types.push_back({name, type.gpus, type.price});
    warn_if_absurd(loading, name, type);
    if (!loading.prices.book || !loading.prices.book->types().contains(name) || !type.written)
      continue;
    loading.findings.add(at_key(
        *type.written, "W0424",
        fmt::format("this price of {} replaces the price book's", in_quotes(name)),
        fmt::format("{} also has a price for it", loading.scenario.price_book), Severity::warning));
  }
}

/// Reports a type that SageMaker training does not have; of EC2's types it has none by their own
/// names.
bool refused_as_unmanaged(Loading& loading, const std::string& name, const Node& node) {
  const InstanceTypeInput* stated = inline_type(loading, name);
  const PriceRow* ec2 = nullptr;
  if (!stated && loading.prices.book) ec2 = loading.prices.book->first(price_key(ec2_name(name)));
  const bool not_offered = stated ? !stated->managed : ec2 && !ec2->managed.value_or(true);
  if (not_offered && (is_managed_platform(loading) || is_managed_name(name))) {
    loading.error(
        node, "E0207", fmt::format("SageMaker training does not offer {}", in_quotes(name)),
        "not a managed instance type", "choose another type, or another \"model\" of the platform");
    return true;
  }
  if (!ec2 || is_managed_name(name) || !is_managed_platform(loading)) return false;
  const std::string managed = managed_name(name);
  const bool priced = loading.prices.book->first(price_key(managed)) != nullptr;
  loading.error(
      node, "E0207",
      fmt::format("{} is an EC2 instance type, not a SageMaker training type", in_quotes(name)),
      "not a managed instance type",
      priced ? fmt::format("use \"{}\", its SageMaker name, which has its own price", managed)
             : "");
  return true;
}

/// The price is known until the row was last seen, or until the day the book is read as of.
void warn_if_stale(Loading& loading, const PriceRow& row, const Node& node) {
  if (loading.input.live) return;  // it has no clock
  const bool on_demand = row.key.market == PriceMarket::on_demand;
  const std::string what =
      on_demand ? "the price" : fmt::format("the row \"{}\"", name_of(row.key.market));
  const Day start = first_day(loading);
  const Day known = std::min(row.last_seen(), loading.prices.day);
  if (start - known <= fresh_for) return;
  loading.warning(node, "W0420",
                  fmt::format("{} of {} is known until {}; the clock starts on {}", what,
                              in_quotes(row.key.type), show(known), show(start)),
                  fmt::format("last verified {} days before", (start - known).count()),
                  "use a newer price book, or set the price of that day in prices.instances");
}

/// When jobs are about to be over, where no horizon says so: if the longest comes last and waits
/// for all others, and nothing disturbs them.  Of drawn jobs, those of the first run.
policy::Instant likely_end(const models::World& world) {
  if (world.end != policy::never) return world.end;
  double machines = 0;
  for (const models::Pool& pool : world.pools) machines += pool.capacity;
  double longest = 0;
  double all = 0;
  policy::Instant last = world.start;
  const models::Jobs jobs = models::materialize(world, 0);
  for (const models::JobSpec& job : jobs.specs) {
    const Duration training = training_time(world, world.profiles[job.profile], job.work);
    const auto length = static_cast<double>(training.count());
    longest = std::max(longest, length);
    all += length * job.instances;
    last = std::max(last, job.submit);
  }
  return policy::later(last, sim::nearest(longest + all / machines));
}

/// A fleet pays one price all along: that of the day of the book.  One with windows pays while they
/// last.
void warn_if_changed(Loading& loading, const PaidRow& paid, policy::Instant end) {
  const PriceRow& row = *paid.row;
  const models::World& world = loading.world();
  const std::vector<models::TimeSpan>& windows = world.pools[paid.pool].windows;
  if (!windows.empty()) end = std::min(end, policy::later(world.start, windows.back().second));
  const auto changes = [&](const PriceRow& later) {
    return later.key == row.key && later.valid_from > loading.prices.day &&
           later.valid_from > first_day(loading) && policy::Instant{later.valid_from} < end &&
           (later.price != row.price || later.low_percent != row.low_percent);
  };
  const auto& rows = loading.prices.book->rows();
  const auto later = std::find_if(rows.begin(), rows.end(), changes);
  if (later == rows.end()) return;
  const std::string what = row.key.market == PriceMarket::on_demand
                               ? "the price"
                               : fmt::format("the row \"{}\"", name_of(row.key.market));
  const bool horizon = world.end != policy::never;
  const bool before_all = !windows.empty() && policy::Instant{later->valid_from} <=
                                                  policy::later(world.start, windows.front().first);
  const std::string_view when = before_all         ? "before the fleet is available"
                                : !windows.empty() ? "while the fleet is available"
                                : horizon          ? "before the horizon"
                                                   : "before all jobs can end";
  loading.warning(paid.node, "W0489",
                  fmt::format("{} of {} changes on {}, {}", what, in_quotes(row.key.type),
                              show(later->valid_from), when),
                  fmt::format("the price of {} is used throughout", show(row.valid_from)),
                  before_all ? "set its price in prices.instances"
                  : horizon && windows.empty()
                      ? "use a shorter horizon, or simulate each period separately"
                      : "simulate each period separately");
}

/// What the book says of the type in a market that is not on demand; null if nothing.
const PriceRow* row_of_market(const Loading& loading, const std::string& type,
                              policy::Market market) {
  if (!loading.prices.book) return nullptr;
  const auto row_of = [&](PriceMarket priced) {
    PriceKey key = price_key(type);
    key.market = priced;
    return loading.prices.book->find(key, loading.prices.day);
  };
  if (market == policy::Market::capacity_block) return row_of(PriceMarket::capacity_block);
  if (market != policy::Market::spot) return row_of(PriceMarket::reserved_1y);
  const PriceRow* exact = row_of(PriceMarket::spot);
  return exact ? exact : row_of(PriceMarket::spot_savings);
}

std::optional<policy::TypeId> type_of_book(Loading& loading, const std::string& name,
                                           const Node& node) {
  const PriceBook& book = *loading.prices.book;
  const PriceKey key = price_key(name);
  const PriceRow* row = book.find(key, loading.prices.day);
  if (row == nullptr) {
    const PriceRow* first = book.first(key);
    if (first == nullptr) {
      report_unknown_type(loading, name, node);
      return std::nullopt;
    }
    loading.error(node, "E0347",
                  fmt::format("prices of {} start on {}, after the book's date, {}",
                              in_quotes(name), show(first->valid_from), show(loading.prices.day)),
                  "before the first price", "set a price in prices.instances");
    return std::nullopt;
  }
  warn_if_stale(loading, *row, node);
  auto& types = loading.world().directory.types;
  types.push_back({name, row->accelerators, row->price});
  return policy::TypeId{static_cast<std::uint32_t>(types.size() - 1)};
}

}  // namespace

void report_unknown_type(Loading& loading, std::string_view name, const Node& node, bool as_key) {
  std::set<std::string_view> names;
  for (const auto& known : loading.world().directory.types) names.insert(known.name);
  if (loading.prices.book) {
    for (const std::string_view known : loading.prices.book->types()) names.insert(known);
  }
  const std::string message = fmt::format("unknown instance type {}", in_quotes(name));
  Diagnostic found = as_key ? at_key(node, "E0203", message, "not in the price book")
                            : at(node, "E0203", message, "not in the price book");
  loading.findings.add(std::move(found).with_help(did_you_mean(name, names)));
}

std::optional<policy::TypeId> price_type(Loading& loading, const std::string& name,
                                         const Node& node) {
  if (refused_as_unmanaged(loading, name, node)) return std::nullopt;
  const auto& types = loading.world().directory.types;
  for (std::uint32_t i = 0; i < types.size(); ++i) {
    if (types[i].name == name) return policy::TypeId{i};
  }
  if (loading.prices.book) return type_of_book(loading, name, node);
  const bool book_failed = loading.input.prices.book != "inline";  // reported already
  if (!book_failed) report_unknown_type(loading, name, node);
  return std::nullopt;
}

std::optional<UsdPerHour> listed_price(const Loading& loading, const policy::InstanceType& type,
                                       policy::Market market) {
  if (market == policy::Market::on_demand) return type.price;
  const bool spot = market == policy::Market::spot;
  if (const InstanceTypeInput* stated = inline_type(loading, type.name)) {
    if (!spot) return std::nullopt;
    if (stated->spot_price) return stated->spot_price;
    if (stated->savings) return saved(type.price, *stated->savings);
    return std::nullopt;
  }
  const PriceRow* row = row_of_market(loading, type.name, market);
  if (!row) return std::nullopt;
  return row->key.market == PriceMarket::spot_savings ? saved(type.price, row->low_percent)
                                                      : row->price;
}

std::optional<UsdPerHour> same_terms_of_ec2(const Loading& loading, const PoolInput& fleet) {
  // What the managed service adds to a Spot price, or to what was agreed, is stated nowhere.
  const bool agreed = fleet.of_market.commitment.has_value();
  if (!is_managed_platform(loading) || fleet.market == policy::Market::spot || agreed) return {};
  const bool block = fleet.market == policy::Market::capacity_block;
  if (const InstanceTypeInput* stated = inline_type(loading, fleet.instance_type)) {
    return stated->managed && !block ? stated->ec2_price : std::nullopt;
  }
  if (!loading.prices.book || !is_managed_name(fleet.instance_type)) return {};
  const PriceRow* managed = policy::is_reserved(fleet.market)
                                ? row_of_market(loading, fleet.instance_type, fleet.market)
                                : nullptr;
  if (block && !managed) return {};
  PriceKey key = price_key(ec2_name(fleet.instance_type));
  if (managed) key.market = managed->key.market;
  const PriceRow* ec2 = loading.prices.book->find(key, loading.prices.day);
  return ec2 ? std::optional{ec2->price} : std::nullopt;
}

void check_listed_price(Loading& loading, const policy::InstanceType& type, policy::Market market,
                        const Node& node) {
  if (inline_type(loading, type.name) || !loading.prices.book) return;
  const PriceRow* row = row_of_market(loading, type.name, market);
  const PriceRow* on_demand = loading.prices.book->find(price_key(type.name), loading.prices.day);
  const auto pool = static_cast<std::uint32_t>(loading.world().pools.size());  // the next
  if (!row || market == policy::Market::on_demand) {
    if (on_demand) loading.prices.paid_rows.push_back({on_demand, node, pool});
    return;
  }
  warn_if_stale(loading, *row, node);
  loading.prices.paid_rows.push_back({row, node, pool});
  // Savings are of the price on demand, which may change too.
  if (row->key.market == PriceMarket::spot_savings && on_demand) {
    loading.prices.paid_rows.push_back({on_demand, node, pool});
  }
  if (market != policy::Market::spot || row->price <= type.price) return;
  loading.warning(
      node, "W0479", fmt::format("{} costs more on Spot than on-demand", in_quotes(type.name)),
      fmt::format("according to {}", loading.scenario.price_book), "check a newer price book");
}

void check_price_changes(Loading& loading) {
  if (loading.prices.paid_rows.empty() || loading.findings.errors() > 0) return;
  const policy::Instant end = likely_end(loading.world());
  for (const PaidRow& paid : loading.prices.paid_rows) warn_if_changed(loading, paid, end);
}

void load_prices(Loading& loading) {
  const PricesInput& prices = loading.input.prices;
  loading.scenario.ops_per_month = prices.ops_per_month;
  loading.scenario.calls = prices.calls;
  if (!prices.written) return;  // its absence is reported already
  const auto node = prices.written->find("book");
  if (node && prices.book != "inline") {
    load_book(loading, *node);
  } else if (!prices.written->find("instances")) {
    loading.error(*prices.written, "E0202", "prices lacks the key \"instances\"", "add it here",
                  "or name a price book: \"book\": \"aws-us-east-1\"");
  }
  load_inline(loading);
  if (!loading.scenario.live) return;
  loading.scenario.live->book = loading.prices.book;
  loading.scenario.live->book_day = loading.prices.day;
}

policy::InstanceType type_of_account(const LiveSpec& live, std::string_view name) {
  policy::InstanceType type{std::string{name}, 0, {}};
  const PriceRow* row = live.book ? live.book->find(price_key(name), live.book_day) : nullptr;
  if (row == nullptr) return type;
  type.gpus = row->accelerators;
  type.price = row->price;
  return type;
}

}  // namespace reeve::scenarios
