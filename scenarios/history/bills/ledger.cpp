#include "scenarios/history/bills/ledger.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <memory>

namespace reeve::scenarios {
namespace {

constexpr std::size_t most_names = 200;  ///< of operations that are left out

std::uint64_t hash_of_bill_text(std::string_view text) {
  return std::max<std::uint64_t>(std::hash<std::string_view>{}(text), 1);
}

template <class Time>
void widen(Time& first, Time& last, const Time& from, const Time& until) {
  if (from && (!first || *from < *first)) first = from;
  if (until && (!last || *until > *last)) last = until;
}

/// Of a job in every form of a bill.
const std::string& job_key(const BilledUse& use) {
  return use.resource.empty() ? use.job : use.resource;
}

bool has_dollars_of_job(const BillAccount& account) {
  return !account.use.job.empty() && (account.sums.cost != 0 || account.sums.fallback != 0);
}

}  // namespace

BillAmounts& BillAmounts::operator+=(const BillAmounts& other) {
  hours += other.hours;
  cost += other.cost;
  fallback += other.fallback;
  list += other.list;
  return *this;
}

BillAmounts& BillAmounts::operator-=(const BillAmounts& other) {
  return *this += {-other.hours, -other.cost, -other.fallback, -other.list};
}

std::size_t HashSet::place(std::uint64_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = first_place(hash);
  while (slots_[at] != 0 && slots_[at] != hash) at = (at + 1) & mask;
  return at;
}

void HashSet::prefetch(std::uint64_t hash) const {
  if (!slots_.empty()) __builtin_prefetch(&slots_[first_place(hash)]);
}

bool HashSet::contains(std::uint64_t hash) const {
  return !slots_.empty() && slots_[place(hash)] == hash;
}

bool HashSet::insert(std::uint64_t hash) {
  if (count_ * 5 >= slots_.size() * 4) grow();
  std::uint64_t& slot = slots_[place(hash)];
  if (slot == hash) return false;
  slot = hash;
  ++count_;
  return true;
}

void HashSet::grow() {
  std::vector<std::uint64_t> old(std::max<std::size_t>(64, slots_.size() * 2));
  old.swap(slots_);
  for (const std::uint64_t hash : old) {
    if (hash != 0) slots_[place(hash)] = hash;
  }
}

void HashSet::insert_all(HashSet&& other) {
  if (count_ < other.count_) std::swap(*this, other);
  other.for_each([this](std::uint64_t hash) { insert(hash); });
  other = {};
}

BillHash& BillHash::operator<<(std::string_view text) {
  text_ += text;
  text_ += '\x1F';
  return *this;
}

BillHash& BillHash::operator<<(const std::optional<policy::Instant>& at) {
  const std::int64_t count = at ? at->time_since_epoch().count() : -1;
  for (unsigned shift = 0; shift < 64; shift += 8) {
    text_ += static_cast<char>(static_cast<std::uint64_t>(count) >> shift & 0xFF);
  }
  return *this;
}

std::uint64_t BillHash::value_with(std::uint64_t other) {
  return std::max<std::uint64_t>(value() ^ other * 0x9E3779B97F4A7C15u, 1);
}

std::uint64_t BillHash::value() {
  const std::uint64_t hash = hash_of_bill_text(text_);
  text_.clear();
  return hash;
}

BillFile::BillFile(Bill& bill)
    : bill_{bill},
      ledger_{*(bill.ledger ? bill.ledger : bill.ledger = std::make_shared<BillLedger>())},
      size_{ledger_.size} {}

bool BillFile::has_room_for(const BillAmounts& amounts) {
  constexpr std::uint64_t most = 9'000'000'000'000'000'000u;  // 9e9 dollars, 9e8 hours
  const auto size = [](std::int64_t value) {  // of a value far from the ends of int64
    return static_cast<std::uint64_t>(std::abs(value));
  };
  const std::uint64_t nanos =
      std::max({size(amounts.cost), size(amounts.fallback), size(amounts.list)});
  if (nanos > most - size_.nanos || size(amounts.hours) > most - size_.hours) return false;
  size_.nanos += nanos;
  size_.hours += size(amounts.hours);
  return true;
}

std::uint32_t BillFile::account_of(const BillTarget& target) {
  key_.clear();
  key_ += static_cast<char>('0' + static_cast<int>(target.kind));
  for (const std::string_view part : {target.name, target.resource, target.instance_type,
                                      target.market, target.region, target.use, target.job}) {
    key_ += '\x1F';
    key_ += part;
  }
  const std::uint64_t key = hash_of_bill_text(key_);
  const std::uint64_t of_provider = key + 0x9E3779B97F4A7C15u * target.provider;
  const auto [known, is_new] =
      accounts_by_key_.try_emplace(of_provider, static_cast<std::uint32_t>(accounts_.size()));
  if (is_new) {
    BillAccount account{target.kind, std::string{target.name}, {}, target.provider, {}, 0};
    account.use.job = target.job;
    account.use.resource = target.resource;
    account.use.instance_type = target.instance_type;
    account.use.market = target.market;
    account.use.region = target.region;
    account.use.use = target.use;
    accounts_.push_back(std::move(account));
    keys_.push_back(key);
  }
  return known->second;
}

/// Whether the line item was counted before and stays so.  If this row has an invoice and that one
/// has none, this one counts in its place.
bool BillFile::is_second(const BillRow& row) {
  const bool is_final = row.invoice == BillRow::Invoice::sent;
  if (row.id != 0 && !ids_.insert(row.id)) {  // again in this file
    ++twice_;
    const auto open = open_.find(row.id);
    if (!is_final || open == open_.end()) return true;
    accounts_[open->second.account].sums -= open->second.amounts;
    open_.erase(open);
    return false;
  }
  if (!ledger_.items.contains(row.item) || replaced_.contains(row.item)) return false;
  const bool was_open = ledger_.open.contains(row.item);
  if (is_final && was_open) {
    ++twice_;
    replaced_.insert(row.item);
    return false;
  }
  const bool comes_late = row.invoice == BillRow::Invoice::open && !was_open;
  const bool is_copy = comes_late || ledger_.copies.contains(row.copy);
  ++(is_copy ? twice_ : alike_);
  return is_copy;
}

void BillFile::prefetch(const BillRow& row) const {
  items_.prefetch(row.item);
  copies_.prefetch(row.copy);
  ledger_.items.prefetch(row.item);
}

BillAccount* BillFile::add(const BillRow& row) {
  if (is_second(row)) return nullptr;
  const std::uint32_t index = account_of(row.target);
  BillAccount& account = accounts_[index];
  account.sums += row.amounts;
  items_.insert(row.item);
  copies_.insert(row.copy);
  if (row.invoice == BillRow::Invoice::open) {
    const std::uint64_t key = row.id == 0 ? row.item : row.id;
    const auto [open, is_new] = open_.try_emplace(key, OpenRow{row.item, index, row.amounts});
    if (!is_new) open->second.amounts += row.amounts;
  }
  extend(row, account);
  return &account;
}

/// The times of the row into those of its account and of the bill.
void BillFile::extend(const BillRow& row, BillAccount& account) {
  if (account.kind == BillTarget::Kind::use) {
    widen(account.use.first, account.use.last, row.from, row.until);
  }
  const bool is_usage =
      account.kind == BillTarget::Kind::use || account.kind == BillTarget::Kind::ignored;
  const bool is_fee =
      row.from && row.until && *row.until - *row.from > std::chrono::hours{24};  // of a month
  if (is_usage && !is_fee) widen(from_, until_, row.from, row.until);
}

void BillFile::leave_out(std::string_view operation, std::uint64_t rows) {
  if (operation.empty()) operation = "other";
  auto found = left_out_.find(operation);
  if (found == left_out_.end()) {
    if (left_out_.size() >= most_names) operation = "other";
    found = left_out_.try_emplace(std::string{operation}).first;
  }
  found->second += rows;
}

bool BillFile::covers(std::string_view account, std::string_view month, std::string_view form) {
  if (account.empty() || month.empty()) return true;
  const auto [known, is_new] = months_.emplace(account, month);
  if (!is_new) return true;
  const auto earlier = ledger_.months.find(*known);
  return earlier == ledger_.months.end() || earlier->second == form;
}

std::uint32_t BillFile::place_of(const BillAccount& account, std::uint64_t key) {
  const auto [known, is_new] =
      ledger_.places_by_key.try_emplace(key, static_cast<std::uint32_t>(ledger_.places.size()));
  if (is_new) {
    ledger_.places.push_back({account.kind, account.name, bill_.uses.size(), 0});
    if (account.kind == BillTarget::Kind::use) bill_.uses.push_back({account.use});
  }
  return known->second;
}

void BillFile::post(std::uint32_t index, const BillAmounts& amounts) {
  BillLedger::Place& place = ledger_.places[index];
  const NanoUsd cost{amounts.cost};
  switch (place.kind) {
    case BillTarget::Kind::apart:
      bill_.apart[place.name] += cost;
      return;
    case BillTarget::Kind::unused:
      bill_.unused_commitment += cost;
      return;
    case BillTarget::Kind::ignored:
      bill_.ignored += cost;
      return;
    case BillTarget::Kind::use:
      break;
  }
  BilledUse& use = bill_.uses[place.use];
  place.hours += amounts.hours;
  use.instance_hours = static_cast<double>(place.hours) / 1e10;
  use.cost += cost;
  use.list += NanoUsd{amounts.list};
}

void BillFile::merge_use(const BilledUse& from, BilledUse& into) const {
  widen(into.first, into.last, from.first, from.last);
  for (const auto& [key, value] : from.tags) into.tags.try_emplace(key, value);
}

std::string BillFile::job_of_other_form(std::string_view form) const {
  for (const BillAccount& account : accounts_) {
    if (!has_dollars_of_job(account)) continue;
    const auto known = ledger_.forms_of_jobs.find(job_key(account.use));
    if (known != ledger_.forms_of_jobs.end() && known->second != form) return account.use.job;
  }
  return {};
}

void BillFile::finish(const std::vector<bool>& fallback, std::string_view form) {
  replaced_.for_each([this](std::uint64_t item) {
    const auto earlier = ledger_.open.find(item);
    post(earlier->second.place, BillAmounts{} -= earlier->second.amounts);
    ledger_.open.erase(earlier);
  });
  const auto settled = [&](BillAmounts amounts, std::uint32_t provider) {
    if (fallback[provider]) amounts.cost = amounts.fallback;
    return amounts;
  };
  std::vector<std::uint32_t> places(accounts_.size());
  for (std::size_t i = 0; i < accounts_.size(); ++i) {
    const BillAccount& account = accounts_[i];
    places[i] = place_of(account, keys_[i]);
    post(places[i], settled(account.sums, account.provider));
    if (account.kind == BillTarget::Kind::use) {
      merge_use(account.use, bill_.uses[ledger_.places[places[i]].use]);
    }
    if (has_dollars_of_job(account)) ledger_.forms_of_jobs.try_emplace(job_key(account.use), form);
  }
  for (const auto& [key, row] : open_) {
    const BillAmounts amounts = settled(row.amounts, accounts_[row.account].provider);
    const auto [known, is_new] =
        ledger_.open.try_emplace(row.item, BillLedger::OpenRow{places[row.account], amounts});
    if (!is_new) known->second.amounts += amounts;
  }
  ledger_.items.insert_all(std::move(items_));
  ledger_.copies.insert_all(std::move(copies_));
  ledger_.size = size_;
  for (const auto& month : months_) ledger_.months.emplace(month, form);
  for (const auto& [operation, rows] : left_out_) bill_.left_out[operation] += rows;
  widen(bill_.from, bill_.until, from_, until_);
}

}  // namespace reeve::scenarios
