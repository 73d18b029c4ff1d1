#include "scenarios/history/data/slurm_records.hpp"

#include <algorithm>
#include <tuple>
#include <vector>

#include "scenarios/history/data/packing.hpp"
#include "scenarios/text/utf8.hpp"

namespace reeve::scenarios {
namespace {

using policy::Duration;

/// All members, in one order for both directions.  `to`: a new record if it is read.
template <class Packing>
void pack_record(Packing& packing, KeptRecord& to) {
  packing.size(to.cluster);
  packing.size(to.job);
  if (packing.has(to.task >= 0)) packing.count(to.task);
  if (packing.has(to.part >= 0)) packing.count(to.part);
  packing.size(to.file);
  packing.size(to.line);
  packing.instant(to.submit);
  packing.choice(to.state);
  for (bool* yes : {&to.has_start, &to.has_end, &to.ran, &to.has_slices, &to.by_person}) {
    packing.flag(*yes);
  }
  if (to.has_start) packing.instant(to.start);
  if (to.has_end) packing.instant(to.end);
  const Duration between = to.has_start && to.has_end ? to.end - to.start : Duration{-1};
  if (packing.has(to.elapsed == between)) {
    to.elapsed = between;
  } else {
    packing.duration(to.elapsed);
  }
  if (packing.has(to.limit >= Duration{0})) packing.duration(to.limit);
  if (packing.has(to.raw_id == to.job)) {
    to.raw_id = to.job;
  } else {
    packing.size(to.raw_id);
  }
  for (auto* number : {&to.nodes, &to.gpus, &to.restarts}) packing.count(*number);
  for (auto* number : {&to.exit_code, &to.signal}) {
    if (packing.has(*number != 0)) packing.count(*number);
  }
  for (auto* name : {&to.user, &to.partition, &to.account, &to.gpu_type}) packing.size(*name);
  if (packing.has(to.stopped_by != 0)) packing.size(to.stopped_by);
  if (packing.has(to.gpu_util >= 0)) {
    double percent = to.gpu_util;
    packing.real(percent);
    to.gpu_util = static_cast<float>(percent);
  }
}

auto slurm_order(const KeptRecord& record) {
  return std::tuple{record.cluster,   record.job,   record.task, record.part, record.submit,
                    record.has_start, record.start, record.user, record.file, record.line};
}

}  // namespace

std::optional<std::uint32_t> SlurmNames::of_plain(std::string_view text) {
  if (const auto known = find(text)) return known;
  const bool is_plain =
      std::all_of(text.begin(), text.end(),
                  [](char c) { return static_cast<unsigned char>(c) >= ' ' && c != 127; }) &&
      find_invalid_utf8(text) == text.npos;
  return is_plain ? std::optional{of(text)} : std::nullopt;
}

void SlurmRecords::add(const KeptRecord& record) {
  if (home_ == 0) {
    home_ = record.cluster;
    home_at_ = size();
  }
  KeptRecord copy = record;
  PackWriter writer{scratch_};
  pack_record(writer, copy);
  pieces_.add(writer.finish());
}

std::size_t SlurmRecords::unpack(std::size_t index, KeptRecord& into) const {
  const char* const begin = pieces_.at(index);
  into = {};
  PackReader reader{begin};
  pack_record(reader, into);
  into.names_cluster = into.cluster != 0;
  if (!into.names_cluster) into.cluster = home_;
  if (!cut_starts_.empty() && into.ran && into.has_start) {
    const auto cut = cut_starts_.find(into.file);
    into.is_cut = cut != cut_starts_.end() && into.start == cut->second;
  }
  return static_cast<std::size_t>(reader.end() - begin);
}

void SlurmRecords::for_each(std::size_t from,
                            const std::function<void(const KeptRecord&)>& with) const {
  KeptRecord record;
  for (std::size_t i = from; i < size(); ++i) {
    unpack(i, record);
    with(record);
  }
}

void SlurmRecords::take_each(const std::function<void(const KeptRecord&)>& with) {
  KeptRecord record;
  for (std::size_t i = 0; i < size(); ++i) {
    unpack(i, record);
    pieces_.drop(i);
    with(record);
  }
  pieces_.cut(0);
}

void SlurmRecords::keep_if(std::size_t from, const std::function<bool(const KeptRecord&)>& stays) {
  KeptRecord record;
  std::size_t kept = from;
  for (std::size_t i = from; i < size(); ++i) {
    unpack(i, record);
    if (stays(record)) {
      pieces_.move(i, kept++);
    } else {
      pieces_.drop(i);
    }
  }
  pieces_.cut(kept);
}

void SlurmRecords::cut(std::size_t size) {
  for (std::size_t i = size; i < pieces_.size(); ++i) pieces_.drop(i);
  pieces_.cut(size);
  if (home_at_ >= size) home_ = 0;
}

void SlurmRecords::sort() {
  struct Key {
    std::uint64_t job, task;
    std::uint32_t index;
  };
  std::vector<Key> keys;
  keys.reserve(size());
  for_each(0, [&](const KeptRecord& record) {
    const auto part = static_cast<std::uint32_t>(record.part + 1);
    const auto task = static_cast<std::uint32_t>(record.task + 1);
    keys.push_back({std::uint64_t{record.cluster} << 32 | record.job,
                    std::uint64_t{task} << 32 | part, static_cast<std::uint32_t>(keys.size())});
  });
  KeptRecord first, second;
  const auto is_before = [&](const Key& a, const Key& b) {
    if (a.job != b.job) return a.job < b.job;
    if (a.task != b.task || a.index == b.index) return a.task < b.task;
    unpack(a.index, first);
    unpack(b.index, second);
    return slurm_order(first) < slurm_order(second);
  };
  if (std::is_sorted(keys.begin(), keys.end(), is_before)) return;
  std::sort(keys.begin(), keys.end(), is_before);
  std::vector<std::uint32_t> order;
  order.reserve(keys.size());
  for (const Key& key : keys) order.push_back(key.index);
  pieces_.reorder(order);
}

}  // namespace reeve::scenarios
