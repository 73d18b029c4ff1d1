#include "scenarios/history/anonymize.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <reeve/policy/training_job_name.hpp>

#include "scenarios/history/regions.hpp"
#include "scenarios/records/market_reading.hpp"
#include "scenarios/records/price_book.hpp"

namespace reeve::scenarios {
namespace {

constexpr std::size_t few_jobs = 5;  ///< a user with fewer is put together with the others
constexpr std::int64_t most_weeks = 520;

/// The same for the same jobs: to spread, not to hide.
std::int64_t weeks_for(const JoinedHistory& joined) {
  std::string hash;
  for (std::size_t i = 0; i < joined.jobs.size(); ++i) {
    hash = policy::short_hash(hash.append(joined.jobs.name(i)));
  }
  std::int64_t number = 0;
  std::from_chars(hash.data(), hash.data() + hash.size(), number, 16);
  return 1 + number % most_weeks;
}

policy::Usd four_digits(policy::Usd money) {
  if (money.micros() == 0) return money;
  const double value = static_cast<double>(money.micros());
  const double scale = std::pow(10.0, std::floor(std::log10(std::abs(value))) - 3);
  if (scale <= 1) return money;
  return policy::Usd::from_micros(std::llround(std::round(value / scale) * scale));
}

/// Types that AWS and NVIDIA sell: they name no team.
bool is_public_type(std::string_view type) {
  constexpr auto models = std::to_array<std::string_view>(
      {"",     "gpu",   "node",      "a10",       "a10g",  "a100",  "h100", "h200",
       "b200", "gh200", "gb200",     "k80",       "l4",    "l40",   "l40s", "p100",
       "t4",   "v100",  "a100-40gb", "a100-80gb", "mi250", "mi300x"});
  if (std::find(models.begin(), models.end(), type) != models.end()) return true;
  for (const PriceBookText& text : price_book_texts()) {
    const auto known = built_in_price_book(text.name)->types();
    if (known.contains(type) || known.contains(is_managed_name(type) ? ec2_name(type) : type)) {
      return true;
    }
  }
  return false;
}

NanoUsd four_digits(NanoUsd money) {
  const auto micros = policy::Usd::from_micros(money.nanos / 1000);
  return {four_digits(micros).micros() * 1000};
}

std::map<std::string, std::size_t> jobs_by_user(const JoinedHistory& joined) {
  std::map<std::string, std::size_t> counts;
  for (const HistoryJob& job : joined.jobs) ++counts[job.record.user];
  return counts;
}

std::string anonymous_type(const std::string& type, NameKey& key) {
  const std::string sold{type_of_aws(type)}, region{region_of_type(type)};
  const std::string name = is_public_type(sold) ? sold : key.pseudonym("type", sold);
  return region.empty() ? name : name + '@' + key.pseudonym("region", region);
}

void anonymize(HistoryJob& job, NameKey& key, const std::map<std::string, std::size_t>& users,
               const std::vector<std::string>& kept_tags) {
  ImportedJob& record = job.record;
  record.job_id = key.pseudonym("job", record.job_id);
  if (!record.user.empty()) {
    record.user = users.at(record.user) < few_jobs ? "others" : key.pseudonym("user", record.user);
  }
  record.queue = key.pseudonym("queue", record.queue);
  record.sweep = key.pseudonym("sweep", record.sweep);
  record.failure_reason.clear();
  record.instance_type = anonymous_type(record.instance_type, key);
  if (!is_public_type(record.gpu_type)) record.gpu_type = key.pseudonym("gpu", record.gpu_type);
  std::erase_if(record.tags, [&](const auto& tag) {
    return std::find(kept_tags.begin(), kept_tags.end(), tag.first) == kept_tags.end();
  });
  for (auto& [name, value] : record.tags) value = key.pseudonym("tag " + name, value);
  if (record.billed_usd) record.billed_usd = four_digits(*record.billed_usd);
  if (record.list_usd) record.list_usd = four_digits(*record.list_usd);
  job.resource.clear();
  job.file.clear();
  job.runs_as.clear();
  job.reused_by = key.pseudonym("job", job.reused_by);
  job.stopped_by.clear();
}

}  // namespace

NameKey NameKey::parse(const std::string& file, const std::string& text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  NameKey key;
  const bool sound = json.is_object() && json.contains("weeks") && json.contains("names") &&
                     json["names"].is_object() && json["weeks"].is_number_integer() &&
                     json["weeks"] >= 1 && json["weeks"] <= most_weeks;
  if (!sound) {
    throw InputError{about_trace(file, "E0404", "this is not a key of names",
                                 "give the names.key of an earlier import, or a new name")};
  }
  key.weeks_ = json["weeks"];
  const auto& kinds = json["names"];
  for (auto kind = kinds.begin(); kind != kinds.end(); ++kind) {
    for (auto name = kind->begin(); name != kind->end(); ++name) {
      if (!name->is_string()) continue;
      key.names_[kind.key()][name.key()] = *name;
      key.taken_.insert(*name);
      key.taken_.insert(name.key());
    }
  }
  return key;
}

std::string NameKey::text() const {
  nlohmann::ordered_json json;
  json["weeks"] = weeks_;
  json["names"] = names_;
  return json.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

void NameKey::take(const ImportedJob& job) {
  for (const std::string* name :
       {&job.job_id, &job.user, &job.queue, &job.sweep, &job.instance_type, &job.gpu_type}) {
    taken_.insert(*name);
  }
  for (const auto& [key, value] : job.tags) taken_.insert(value);
}

std::string NameKey::pseudonym(const std::string& kind, const std::string& name) {
  if (name.empty()) return {};
  auto& known = names_[kind];
  const auto [entry, is_new] = known.try_emplace(name);
  if (is_new) {
    const bool is_tag = kind.starts_with("tag ");
    std::size_t number = known.size();
    do {  // a name of the input is no pseudonym
      entry->second = fmt::format("{}-{}", is_tag ? "value" : kind, number++);
    } while (taken_.contains(entry->second));
    taken_.insert(entry->second);
  }
  return entry->second;
}

void anonymize(JoinedHistory& joined, NameKey& key, const std::vector<std::string>& kept_tags) {
  if (key.weeks() == 0) key.set_weeks(weeks_for(joined));
  // Not before 1970, where clocks begin.
  const auto since_1970 = joined.zero.time_since_epoch() / std::chrono::hours{24 * 7};
  const policy::Duration shift =
      std::chrono::hours{24 * 7} * std::min<std::int64_t>(key.weeks(), since_1970);
  for (const HistoryJob& job : joined.jobs) key.take(job.record);
  const auto users = jobs_by_user(joined);
  joined.jobs.rewrite([&](HistoryJob& job) {
    anonymize(job, key, users, kept_tags);
    job.submitted -= shift;
    if (job.started) *job.started -= shift;
    if (job.ended) *job.ended -= shift;
    for (Stretch& stretch : job.work) {
      stretch.from -= shift;
      if (stretch.until) *stretch.until -= shift;
    }
    return JobPass::changed;
  });
  joined.zero -= shift;
  joined.until -= shift;
  Reconciliation& sums = joined.reconciliation;
  sums.largest_unmatched.clear();
  sums.why_unmatched.clear();
  for (auto& [reason, money] : sums.unmatched) money = four_digits(money);
  NanoUsd apart;  // what a file calls it may be a name
  for (const auto& [what, money] : sums.apart) apart += money;
  sums.apart = {{"credits, refunds, taxes", four_digits(apart)}};
  NanoUsd not_matched;
  for (const auto& [reason, money] : sums.unmatched) not_matched += money;
  sums.not_matched = not_matched;
  sums.bill = {};
  for (NanoUsd* part :
       {&sums.jobs, &sums.warm_pools, &sums.storage, &sums.unused_commitment, &sums.ignored}) {
    sums.bill += * part = four_digits(*part);
  }
  for (const NanoUsd part : {sums.apart.begin()->second, not_matched}) sums.bill += part;
  for (HeldMachines& held : joined.machines) {
    held.cost = four_digits(held.cost);
    held.list = four_digits(held.list);
    held.instance_type = anonymous_type(held.instance_type, key);
  }
  std::map<std::string, BilledApart> not_replayed;
  for (auto& [type, other] : joined.not_replayed) {
    BilledApart& kept = not_replayed[anonymous_type(type, key)];
    kept = {other.hours, four_digits(other.cost), four_digits(other.list)};
  }
  joined.not_replayed = std::move(not_replayed);
  for (Diagnostic& warning : joined.warnings) {
    warning.file.clear();
    if (warning.code == "W0637") warning.help.clear();  // it has a name
  }
  std::erase_if(joined.warnings, [](const Diagnostic& warning) {
    return warning.code == "W0620" || warning.code == "W0628";  // these name jobs
  });
}

}  // namespace reeve::scenarios
