// A packed job: which members it has, as bits; its name; then those members in order.  Numbers
// take as many bytes as they need, times are differences, and common texts are numbers.
#include "scenarios/history/packed_jobs.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace reeve::scenarios {
namespace {

using policy::Duration;
using policy::Instant;

constexpr std::size_t mask_bytes = sizeof(std::uint64_t);
constexpr std::size_t most_texts = std::size_t{1} << 14;  ///< of one member
constexpr std::size_t longest_text = 256;
constexpr std::array<std::uint64_t, 3> ticks{1'000'000'000, 1'000'000, 1};  ///< in nanoseconds

/// Members with common texts: these, then those in pack_texts.
constexpr std::size_t tag_key = 0, tag_value = 1, resource_group = 2, first_text = 3;

/// Small numbers of either sign as small ones without.
constexpr std::uint64_t zigzag(std::uint64_t number) {
  return (number << 1) ^ (number >> 63 == 0 ? 0 : ~std::uint64_t{0});
}
constexpr std::uint64_t from_zigzag(std::uint64_t number) {
  return (number >> 1) ^ ((number & 1) == 0 ? 0 : ~std::uint64_t{0});
}

/// Where the part of a resource that other jobs have too ends: behind "arn:...:training-job/".
std::size_t group_end(std::string_view resource) {
  const std::size_t slash = resource.rfind('/');
  return slash == resource.npos ? 0 : slash + 1;
}

class JobWriter {
 public:
  JobWriter(std::string& bytes, PackedJobs::Texts& texts) : bytes_{bytes}, texts_{texts} {
    bytes_.assign(mask_bytes, '\0');
  }
  void finish() { std::memcpy(bytes_.data(), &mask_, mask_bytes); }

  bool has(bool yes) {
    mask_ |= std::uint64_t{yes} << bit_++;
    return yes;
  }
  void flag(bool yes) { has(yes); }
  void varint(std::uint64_t number) {
    for (; number >= 0x80; number >>= 7) bytes_ += static_cast<char>(number | 0x80);
    bytes_ += static_cast<char>(number);
  }
  void count(std::int64_t number) { varint(zigzag(static_cast<std::uint64_t>(number))); }
  void line(std::uint64_t number) { varint(number); }
  void real(double number) { fixed(std::bit_cast<std::uint64_t>(number)); }
  void money(policy::Usd amount) { count(amount.micros()); }
  template <class Enum>
  void choice(Enum value) {
    bytes_ += static_cast<char>(value);
  }

  /// In seconds, else in milliseconds, else in nanoseconds; the two lowest bits tell which.
  void time(std::uint64_t nanos) {
    const auto written = static_cast<std::int64_t>(nanos);
    for (std::size_t unit = 0; unit < 2; ++unit) {
      const auto tick = static_cast<std::int64_t>(ticks[unit]);
      if (written % tick != 0) continue;
      varint(zigzag(static_cast<std::uint64_t>(written / tick)) << 2 | unit);
      return;
    }
    varint(2);
    fixed(nanos);
  }
  void duration(Duration length) { time(static_cast<std::uint64_t>(length.count())); }
  void instant(Instant at) {
    const auto nanos = static_cast<std::uint64_t>(at.time_since_epoch().count());
    time(nanos - std::exchange(before_, nanos));
  }

  void raw(std::string_view text) {
    varint(text.size());
    bytes_ += text;
  }
  void text(const std::string& text) {
    if (has(!text.empty())) raw(text);
  }
  void word(std::string_view text, std::size_t member) {
    const auto number = texts_[member].number_of(text);
    varint(number ? std::uint64_t{*number} << 1 : text.size() << 1 | 1);
    if (!number) bytes_ += text;
  }
  void common(const std::string& text, std::size_t member) {
    if (has(!text.empty())) word(text, member);
  }
  void resource(const std::string& text, const std::string& name) {
    if (!has(!text.empty())) return;
    const std::size_t end = group_end(text);
    word(std::string_view{text}.substr(0, end), resource_group);
    const std::string_view own = std::string_view{text}.substr(end);
    if (!has(own == name)) raw(own);
  }
  template <class List, class Put>
  void list(const List& list, const Put& put) {
    if (!has(!list.empty())) return;
    varint(list.size());
    for (const auto& each : list) put(each);
  }
  void beside(const std::map<std::string, std::int64_t>& counts) {
    list(counts, [&](const auto& each) {
      raw(each.first);
      count(each.second);
    });
  }
  void until(const std::optional<Instant>& time) {
    bytes_ += static_cast<char>(time ? 1 : 0);
    if (time) instant(*time);
  }

 private:
  void fixed(std::uint64_t bits) {
    const std::size_t at = bytes_.size();
    bytes_.resize(at + sizeof bits);
    std::memcpy(bytes_.data() + at, &bits, sizeof bits);
  }

  std::string& bytes_;
  PackedJobs::Texts& texts_;
  std::uint64_t mask_ = 0;
  unsigned bit_ = 0;
  std::uint64_t before_ = 0;  ///< the instant before
};

class JobReader {
 public:
  JobReader(const char* bytes, const PackedJobs::Texts& texts)
      : at_{bytes + mask_bytes}, texts_{texts} {
    std::memcpy(&mask_, bytes, mask_bytes);
  }
  const char* end() const { return at_; }

  bool has(bool) { return (mask_ >> bit_++ & 1) != 0; }
  void flag(bool& yes) { yes = has(yes); }
  std::uint64_t varint() {
    std::uint64_t number = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(*at_++);
      number |= std::uint64_t{byte & 0x7FU} << shift;
      if (byte < 0x80) return number;
    }
  }
  void count(std::int64_t& number) { number = static_cast<std::int64_t>(from_zigzag(varint())); }
  void line(std::uint64_t& number) { number = varint(); }
  void real(double& number) { number = std::bit_cast<double>(fixed()); }
  void money(policy::Usd& amount) {
    std::int64_t micros = 0;
    count(micros);
    amount = policy::Usd::from_micros(micros);
  }
  template <class Enum>
  void choice(Enum& value) {
    value = static_cast<Enum>(*at_++);
  }

  std::uint64_t time() {
    const std::uint64_t number = varint();
    const std::uint64_t unit = number & 3;
    return unit == 2 ? fixed() : from_zigzag(number >> 2) * ticks[unit];
  }
  void duration(Duration& length) { length = Duration{static_cast<std::int64_t>(time())}; }
  void instant(Instant& at) {
    before_ += time();
    at = Instant{Duration{static_cast<std::int64_t>(before_)}};
  }

  std::string_view raw(std::size_t size) {
    const char* const begin = std::exchange(at_, at_ + size);
    return {begin, size};
  }
  void text(std::string& text) {
    text.clear();
    if (has(false)) text = raw(varint());
  }
  void raw(std::string& text) { text = raw(varint()); }
  void word(std::string& text, std::size_t member) {
    const std::uint64_t number = varint();
    if ((number & 1) == 0) {
      text = texts_[member].text(static_cast<std::uint32_t>(number >> 1));
    } else {
      text = raw(number >> 1);
    }
  }
  void common(std::string& text, std::size_t member) {
    text.clear();
    if (has(false)) word(text, member);
  }
  void resource(std::string& text, const std::string& name) {
    text.clear();
    if (!has(false)) return;
    word(text, resource_group);
    text += has(false) ? std::string_view{name} : raw(varint());
  }
  template <class List, class Take>
  void list(List& list, const Take& take) {
    list.resize(has(false) ? varint() : 0);
    for (auto& each : list) take(each);
  }
  void beside(std::map<std::string, std::int64_t>& counts) {
    counts.clear();
    for (std::uint64_t left = has(false) ? varint() : 0; left > 0; --left) {
      count(counts[std::string{raw(varint())}]);
    }
  }
  void until(std::optional<Instant>& time) {
    time.reset();
    if (*at_++ != 0) instant(time.emplace());
  }

 private:
  std::uint64_t fixed() {
    std::uint64_t bits = 0;
    std::memcpy(&bits, raw(sizeof bits).data(), sizeof bits);
    return bits;
  }

  const char* at_;
  const PackedJobs::Texts& texts_;
  std::uint64_t mask_ = 0;
  unsigned bit_ = 0;
  std::uint64_t before_ = 0;
};

/// The value inside if there is one; a reader makes it first.
template <class Value, class Put>
void optional_part(JobWriter& packing, const std::optional<Value>& value, const Put& put) {
  if (packing.has(value.has_value())) put(*value);
}
template <class Value, class Take>
void optional_part(JobReader& packing, std::optional<Value>& value, const Take& take) {
  value.reset();
  if (packing.has(false)) take(value.emplace());
}

template <class Packing, class Job>
void pack_times(Packing& packing, Job& job) {
  packing.instant(job.submitted);
  for (auto* at : {&job.started, &job.ended, &job.described, &job.seen}) {
    optional_part(packing, *at, [&](auto& time) { packing.instant(time); });
  }
  auto& record = job.record;
  packing.duration(record.submit);
  for (auto* length :
       {&record.duration, &record.observed_wait, &record.estimate, &record.time_limit,
        &record.max_wait, &record.startup, &record.lost, &record.stalled, &record.billed,
        &job.waited_at_least, &job.waited_at_most, &job.queued, &job.held, &job.warm}) {
    optional_part(packing, *length, [&](auto& time) { packing.duration(time); });
  }
}

template <class Packing, class Job>
void pack_texts(Packing& packing, Job& job) {
  auto& record = job.record;
  packing.resource(job.resource, record.job_id);
  std::size_t member = first_text;
  for (auto* text :
       {&record.user, &record.queue, &record.gpu_type, &record.failure_reason,
        &record.instance_type, &record.sweep, &job.source, &job.file, &job.stopped_by}) {
    packing.common(*text, member++);
  }
  packing.text(job.runs_as);
  packing.text(job.reused_by);
}

template <class Packing, class Job>
void pack_numbers(Packing& packing, Job& job) {
  auto& record = job.record;
  packing.line(record.line);
  packing.choice(record.end_status);
  for (auto* number : {&record.nodes, &record.gpus_per_node, &record.gpus_total, &record.gpu_milli,
                       &record.priority, &record.attempts, &record.weight, &record.interruptions,
                       &record.restarts}) {
    optional_part(packing, *number, [&](auto& count) { packing.count(count); });
  }
  optional_part(packing, record.gpu_util_mean, [&](auto& percent) { packing.real(percent); });
  optional_part(packing, record.market, [&](auto& market) { packing.choice(market); });
  optional_part(packing, record.end_cause, [&](auto& cause) { packing.choice(cause); });
  for (auto* amount : {&record.billed_usd, &record.list_usd}) {
    optional_part(packing, *amount, [&](auto& money) { packing.money(money); });
  }
  for (auto* known : {&record.preemptible, &record.censored}) {
    optional_part(packing, *known, [&](auto& yes) { packing.flag(yes); });
  }
  for (auto* yes : {&job.reason_cut, &job.sliced, &job.work_at_most, &job.saves_checkpoints}) {
    packing.flag(*yes);
  }
}

/// All members, in one order for both directions.
template <class Packing, class Job>
void pack_job(Packing& packing, Job& job) {
  packing.raw(job.record.job_id);
  pack_times(packing, job);
  pack_texts(packing, job);
  pack_numbers(packing, job);
  packing.list(job.record.tags, [&](auto& tag) {
    packing.word(tag.first, tag_key);
    packing.word(tag.second, tag_value);
  });
  packing.list(job.work, [&](auto& stretch) {
    packing.instant(stretch.from);
    packing.until(stretch.until);
  });
  packing.beside(job.beside);
}

}  // namespace

std::optional<std::uint32_t> CommonTexts::number_of(std::string_view text) {
  if (last_ < texts_.size() && texts_[last_] == text) return last_;
  const auto known = numbers_.find(text);
  if (known != numbers_.end()) return last_ = known->second;
  if (texts_.size() >= most_texts || text.size() > longest_text) return {};
  last_ = static_cast<std::uint32_t>(texts_.size());
  numbers_.emplace(texts_.emplace_back(text), last_);
  return last_;
}

std::string_view PackedJobs::pack(const HistoryJob& job) {
  JobWriter writer{scratch_, texts_};
  pack_job(writer, job);
  writer.finish();
  return scratch_;
}

void PackedJobs::add(const HistoryJob& job) {
  places_.push_back(chunks_.add(pack(job)));
}

HistoryJob PackedJobs::at(std::size_t index) const {
  HistoryJob job;
  unpack(index, job);
  return job;
}

std::size_t PackedJobs::unpack_at(ByteChunks::Place place, HistoryJob& into) const {
  const char* const begin = chunks_.at(place);
  JobReader reader{begin, texts_};
  pack_job(reader, into);
  return static_cast<std::size_t>(reader.end() - begin);
}

void PackedJobs::unpack(std::size_t index, HistoryJob& into) const {
  unpack_at(places_.at(index), into);
}

std::string_view PackedJobs::name(std::size_t index) const {
  JobReader reader{chunks_.at(places_[index]), texts_};
  return reader.raw(reader.varint());
}

void PackedJobs::replace(std::size_t index, const HistoryJob& job) {
  const auto bytes = pack(job);
  chunks_.drop(std::exchange(places_[index], chunks_.add(bytes)));
}

void PackedJobs::rewrite(const std::function<bool(HistoryJob&)>& change, std::size_t first) {
  HistoryJob job;
  std::size_t kept = first;
  for (std::size_t i = first; i < places_.size(); ++i) {
    ByteChunks::Place place = places_[i];
    const std::size_t room = unpack_at(place, job);
    const auto bytes = change(job) ? pack(job) : std::string_view{};
    if (!bytes.empty() && bytes.size() <= room) {
      std::memcpy(chunks_.at(place), bytes.data(), bytes.size());
    } else {
      chunks_.drop(place);
      if (bytes.empty()) continue;
      place = chunks_.add(bytes);
    }
    places_[kept++] = place;
  }
  places_.resize(kept);
}

void PackedJobs::cut(std::size_t size) {
  while (places_.size() > size) {
    chunks_.drop(places_.back());
    places_.pop_back();
  }
}

void PackedJobs::sort() {
  struct Key {
    Instant submitted;
    std::uint32_t index;
  };
  std::vector<Key> keys;
  keys.reserve(places_.size());
  for (const ByteChunks::Place place : places_) {
    JobReader reader{chunks_.at(place), texts_};
    reader.raw(reader.varint());
    keys.push_back({{}, static_cast<std::uint32_t>(keys.size())});
    reader.instant(keys.back().submitted);
  }
  const auto is_before = [&](const Key& a, const Key& b) {
    if (a.submitted != b.submitted) return a.submitted < b.submitted;
    const int order = name(a.index).compare(name(b.index));
    return order != 0 ? order < 0 : a.index < b.index;
  };
  if (std::is_sorted(keys.begin(), keys.end(), is_before)) return;
  std::sort(keys.begin(), keys.end(), is_before);
  std::deque<ByteChunks::Place> sorted;
  for (const Key& key : keys) sorted.push_back(places_[key.index]);
  places_ = std::move(sorted);
}

std::size_t PackedJobs::bytes() const {
  return chunks_.bytes() + places_.size() * sizeof(ByteChunks::Place);
}

}  // namespace reeve::scenarios
