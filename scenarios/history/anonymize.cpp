#include "scenarios/history/anonymize.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "scenarios/records/market_reading.hpp"

namespace reeve::scenarios {
namespace {

constexpr std::size_t few_jobs = 5;  ///< a user with fewer is put together with the others
constexpr std::int64_t most_weeks = 520;

/// FNV-1a: only to spread, not to hide.
std::uint64_t hash_of(const JoinedHistory& joined) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const HistoryJob& job : joined.jobs) {
    for (const char c : job.record.job_id) {
      hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
    }
  }
  return hash;
}

policy::Usd four_digits(policy::Usd money) {
  if (money.micros() == 0) return money;
  const double value = static_cast<double>(money.micros());
  const double scale = std::pow(10.0, std::floor(std::log10(std::abs(value))) - 3);
  if (scale <= 1) return money;
  return policy::Usd::from_micros(std::llround(std::round(value / scale) * scale));
}

std::map<std::string, std::size_t> jobs_by_user(const JoinedHistory& joined) {
  std::map<std::string, std::size_t> counts;
  for (const HistoryJob& job : joined.jobs) ++counts[job.record.user];
  return counts;
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
  const bool sound = json.is_object() && json.contains("weeks") &&
                     json["weeks"].is_number_integer() && json.contains("names") &&
                     json["names"].is_object();
  if (!sound) {
    throw InputError{about_trace(file, "E0404", "this is not a key of names",
                                 "give the names.key of an earlier import, or a new name")};
  }
  key.weeks_ = json["weeks"];
  const auto& kinds = json["names"];
  for (auto kind = kinds.begin(); kind != kinds.end(); ++kind) {
    for (auto name = kind->begin(); name != kind->end(); ++name) {
      if (name->is_string()) key.names_[kind.key()][name.key()] = *name;
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

std::string NameKey::pseudonym(const std::string& kind, const std::string& name) {
  if (name.empty()) return {};
  auto& known = names_[kind];
  const auto [entry, is_new] = known.try_emplace(name);
  if (is_new) {
    const bool is_tag = kind.starts_with("tag ");
    entry->second = fmt::format("{}-{}", is_tag ? "value" : kind, known.size());
  }
  return entry->second;
}

void anonymize(JoinedHistory& joined, NameKey& key, const std::vector<std::string>& kept_tags) {
  if (key.weeks() == 0) {
    key.set_weeks(1 + static_cast<std::int64_t>(hash_of(joined) % most_weeks));
  }
  const policy::Duration shift = std::chrono::hours{24 * 7} * key.weeks();
  const auto users = jobs_by_user(joined);
  for (HistoryJob& job : joined.jobs) {
    anonymize(job, key, users, kept_tags);
    job.submitted -= shift;
    if (job.started) *job.started -= shift;
    if (job.ended) *job.ended -= shift;
    for (Stretch& stretch : job.work) {
      stretch.from -= shift;
      if (stretch.until) *stretch.until -= shift;
    }
  }
  joined.zero -= shift;
  joined.until -= shift;
  joined.reconciliation.largest_unmatched.clear();
  for (Diagnostic& warning : joined.warnings) warning.file.clear();
  std::erase_if(joined.warnings, [](const Diagnostic& warning) {
    return warning.code == "W0620" || warning.code == "W0628";  // these name jobs
  });
}

}  // namespace reeve::scenarios
