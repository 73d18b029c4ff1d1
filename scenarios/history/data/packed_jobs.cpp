// A packed job begins with its name and its submission; common texts are numbers.
#include "scenarios/history/data/packed_jobs.hpp"

#include <algorithm>

#include "scenarios/history/data/packing.hpp"

namespace reeve::scenarios {
namespace {

using policy::Duration;
using policy::Instant;

constexpr std::size_t most_texts = std::size_t{1} << 14;  ///< of one member
constexpr std::size_t longest_text = 256;

/// Members with common texts: these, then those in pack_texts.
constexpr std::size_t tag_key = 0, tag_value = 1, resource_group = 2, first_text = 3;
constexpr std::size_t instance_type_text = first_text + 4;

/// Where the part of a resource that other jobs have too ends: behind "arn:...:training-job/".
std::size_t group_end(std::string_view resource) {
  const std::size_t slash = resource.rfind('/');
  return slash == resource.npos ? 0 : slash + 1;
}

class JobWriter : public PackWriter {
 public:
  JobWriter(std::string& bytes, PackedJobs::Texts& texts) : PackWriter{bytes}, texts_{texts} {}

  void money(policy::Usd amount) { count(amount.micros()); }
  void text(const std::string& text) {
    if (has(!text.empty())) raw(text);
  }
  void word(std::string_view text, std::size_t member) {
    const auto number = texts_[member].number_of(text);
    size(number ? std::uint64_t{*number} << 1 : text.size() << 1 | 1);
    if (!number) append(text);
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
    size(list.size());
    for (const auto& each : list) put(each);
  }
  void beside(const std::map<std::string, std::int64_t>& counts) {
    list(counts, [&](const auto& each) {
      raw(each.first);
      count(each.second);
    });
  }
  void until(const std::optional<Instant>& time) {
    choice(time.has_value());
    if (time) instant(*time);
  }

 private:
  PackedJobs::Texts& texts_;
};

class JobReader : public PackReader {
 public:
  JobReader(const char* bytes, const PackedJobs::Texts& texts) : PackReader{bytes}, texts_{texts} {}

  void money(policy::Usd& amount) {
    std::int64_t micros = 0;
    count(micros);
    amount = policy::Usd::from_micros(micros);
  }
  void text(std::string& text) {
    text.clear();
    if (has(false)) raw(text);
  }
  void word(std::string& text, std::size_t member) {
    const std::uint64_t number = size();
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
    text += has(false) ? std::string_view{name} : raw(size());
  }
  template <class List, class Take>
  void list(List& list, const Take& take) {
    list.resize(has(false) ? size() : 0);
    for (auto& each : list) take(each);
  }
  void beside(std::map<std::string, std::int64_t>& counts) {
    counts.clear();
    for (std::uint64_t left = has(false) ? size() : 0; left > 0; --left) {
      count(counts[std::string{raw(size())}]);
    }
  }
  void until(std::optional<Instant>& time) {
    time.reset();
    bool is_there = false;
    choice(is_there);
    if (is_there) instant(time.emplace());
  }

 private:
  const PackedJobs::Texts& texts_;
};

template <class Packing, class Job>
void pack_times(Packing& packing, Job& job) {
  packing.instant(job.submitted);
  for (auto* at : {&job.started, &job.ended, &job.described, &job.seen}) {
    packing.maybe(*at, [&](auto& time) { packing.instant(time); });
  }
  auto& record = job.record;
  packing.duration(record.submit);
  for (auto* length :
       {&record.duration, &record.observed_wait, &record.estimate, &record.time_limit,
        &record.max_wait, &record.startup, &record.lost, &record.stalled, &record.billed,
        &job.waited_at_least, &job.waited_at_most, &job.queued, &job.held, &job.warm}) {
    packing.maybe(*length, [&](auto& time) { packing.duration(time); });
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
  packing.size(record.line);
  packing.choice(record.end_status);
  for (auto* number : {&record.nodes, &record.gpus_per_node, &record.gpus_total, &record.gpu_milli,
                       &record.priority, &record.attempts, &record.weight, &record.interruptions,
                       &record.restarts}) {
    packing.maybe(*number, [&](auto& count) { packing.count(count); });
  }
  packing.maybe(record.gpu_util_mean, [&](auto& percent) { packing.real(percent); });
  packing.maybe(record.market, [&](auto& market) { packing.choice(market); });
  packing.maybe(record.end_cause, [&](auto& cause) { packing.choice(cause); });
  for (auto* amount : {&record.billed_usd, &record.list_usd}) {
    packing.maybe(*amount, [&](auto& money) { packing.money(money); });
  }
  for (auto* known : {&record.preemptible, &record.censored}) {
    packing.maybe(*known, [&](auto& yes) { packing.flag(yes); });
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
  is_used_ = true;
  if (last_ < texts_.size() && texts_.text(last_) == text) return last_;
  const auto known = texts_.find(text);
  if (!known && (texts_.size() >= most_texts || text.size() > longest_text)) return {};
  return last_ = known ? *known : texts_.of(text);
}

PackedJobs::PackedJobs() = default;
PackedJobs::~PackedJobs() = default;
PackedJobs::PackedJobs(PackedJobs&&) noexcept = default;
PackedJobs& PackedJobs::operator=(PackedJobs&&) noexcept = default;

PackedJobs::Iterator::Iterator(const PackedJobs& jobs) : jobs_{jobs} {
  if (!jobs.empty()) jobs.unpack(0, job_);
}

PackedJobs::Iterator::~Iterator() = default;

PackedJobs::Iterator& PackedJobs::Iterator::operator++() {
  if (++index_ < jobs_.size()) jobs_.unpack(index_, job_);
  return *this;
}

std::string_view PackedJobs::pack(const HistoryJob& job) {
  JobWriter writer{scratch_, texts_};
  pack_job(writer, job);
  return writer.finish();
}

void PackedJobs::add(const HistoryJob& job) {
  pieces_.add(pack(job));
}

HistoryJob PackedJobs::at(std::size_t index) const {
  HistoryJob job;
  unpack(index, job);
  return job;
}

std::size_t PackedJobs::unpack(std::size_t index, HistoryJob& into) const {
  const char* const begin = pieces_.at(index);
  JobReader reader{begin, texts_};
  pack_job(reader, into);
  return static_cast<std::size_t>(reader.end() - begin);
}

std::string_view PackedJobs::name(std::size_t index) const {
  JobReader reader{pieces_.at(index), texts_};
  return reader.raw(reader.size());
}

void PackedJobs::replace(std::size_t index, const HistoryJob& job) {
  pieces_.replace(index, pack(job), 0);
}

void PackedJobs::rewrite(const std::function<JobPass(HistoryJob&)>& pass) {
  HistoryJob job;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < size(); ++i) {
    const std::size_t room = unpack(i, job);
    const JobPass done = pass(job);
    if (done == JobPass::left_out) {
      pieces_.drop(i);
      continue;
    }
    if (done == JobPass::changed) pieces_.replace(i, pack(job), room);
    pieces_.move(i, kept++);
  }
  pieces_.cut(kept);
}

void PackedJobs::for_each_copy(const std::function<void(HistoryJob&)>& with) const {
  HistoryJob job;
  for (std::size_t i = 0; i < size(); ++i) {
    unpack(i, job);
    with(job);
  }
}

bool PackedJobs::may_have_types() const {
  return texts_[instance_type_text].is_used();
}

void PackedJobs::cut(std::size_t size) {
  for (std::size_t i = size; i < pieces_.size(); ++i) pieces_.drop(i);
  pieces_.cut(size);
}

void PackedJobs::sort() {
  std::vector<Instant> submitted(size());
  std::vector<std::uint32_t> order(size());
  for (std::size_t i = 0; i < size(); ++i) {
    JobReader reader{pieces_.at(i), texts_};
    reader.raw(reader.size());
    reader.instant(submitted[i]);
    order[i] = static_cast<std::uint32_t>(i);
  }
  const auto is_before = [&](std::uint32_t a, std::uint32_t b) {
    if (submitted[a] != submitted[b]) return submitted[a] < submitted[b];
    const int by_name = name(a).compare(name(b));
    return by_name != 0 ? by_name < 0 : a < b;
  };
  if (std::is_sorted(order.begin(), order.end(), is_before)) return;
  std::sort(order.begin(), order.end(), is_before);
  pieces_.reorder(order);
}

}  // namespace reeve::scenarios
