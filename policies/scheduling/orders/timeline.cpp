#include "timeline.hpp"

#include <algorithm>
#include <iterator>

namespace reeve::policies {

using policy::Duration;
using policy::Instant;
using policy::never;

Timeline::Timeline(Instant now, std::int64_t free, std::span<const Gain> gains) {
  nodes_.reserve(gains.size() + 1);
  made(now, free);
  for (const Gain& gain : gains) {
    if (gain.from == never) break;
    if (nodes_.back().at == gain.from) {
      nodes_.back().free += gain.instances;
    } else {
      made(gain.from, nodes_.back().free + gain.instances);
    }
  }
  root_ = joined(static_cast<std::uint32_t>(nodes_.size()));
}

void Timeline::advance(Instant now) {
  const Parts parts = split(root_, now + Duration{1});
  const std::int64_t free = last_free(parts.first);
  forget(parts.first);
  root_ = join(made(now, free), parts.second);
}

Instant Timeline::earliest(std::int64_t instances, Duration lasts) {
  for (Instant from = not_before(instances, lasts);;) {
    const std::uint32_t begin = first<true>(root_, from, instances, 0);
    const Instant at = begin == kNone ? never : nodes_[begin].at;
    const std::uint32_t end = first<false>(root_, at, instances, 0);
    if (end == kNone || nodes_[end].at >= policy::later(at, lasts)) {
      remember(instances, lasts, at);
      return at;
    }
    from = nodes_[end].at;
  }
}

Instant Timeline::free_until(std::int64_t instances) const {
  const std::uint32_t end = first<false>(root_, Instant::min(), instances, 0);
  return end == kNone ? never : nodes_[end].at;
}

Instant Timeline::not_before(std::int64_t instances, Duration lasts) const {
  Instant from = Instant::min();
  for (const auto& [fewer, instants] : not_before_) {
    if (fewer > instances) break;
    const auto longer = instants.upper_bound(lasts);
    if (longer != instants.begin()) from = std::max(from, std::prev(longer)->second);
  }
  return from;
}

void Timeline::remember(std::int64_t instances, Duration lasts, Instant earliest) {
  auto& instants = not_before_[instances];
  auto longer = instants.insert_or_assign(lasts, earliest).first;
  for (++longer; longer != instants.end() && longer->second <= earliest;) {
    longer = instants.erase(longer);
  }
}

void Timeline::take(std::int64_t instances, Instant from, Duration lasts) {
  if (from == never) return;
  const Instant until = policy::later(from, lasts);
  cut(from);
  if (until != never) cut(until);
  const Parts before = split(root_, from);
  const Parts after = split(before.second, until);
  shift(after.first, -instances);
  root_ = join(before.first, join(after.first, after.second));
}

void Timeline::give_back(std::int64_t instances, Instant from, Duration lasts) {
  not_before_.clear();
  take(-instances, from, lasts);
}

std::uint32_t Timeline::made(Instant at, std::int64_t free) {
  drawn_ = drawn_ * 6364136223846793005U + 1442695040888963407U;  // Knuth's MMIX
  const Node node{.at = at,
                  .free = free,
                  .least = free,
                  .most = free,
                  .weight = static_cast<std::uint32_t>(drawn_ >> 32U)};
  if (spare_.empty()) {
    nodes_.push_back(node);
    return static_cast<std::uint32_t>(nodes_.size() - 1);
  }
  const std::uint32_t place = spare_.back();
  spare_.pop_back();
  nodes_[place] = node;
  return place;
}

/// The first nodes, in their order, as one tree: each goes below the last one that is heavier, and
/// above those behind that.
std::uint32_t Timeline::joined(std::uint32_t count) {
  std::vector<std::uint32_t> path;  // from the top along the right
  const auto last_is_done = [&] {
    const std::uint32_t last = path.back();
    sum_up(last);
    path.pop_back();
    return last;
  };
  for (std::uint32_t at = 0; at < count; ++at) {
    while (!path.empty() && nodes_[path.back()].weight < nodes_[at].weight) {
      nodes_[at].left = last_is_done();
    }
    if (!path.empty()) nodes_[path.back()].right = at;
    path.push_back(at);
  }
  std::uint32_t top = kNone;
  while (!path.empty()) top = last_is_done();
  return top;
}

void Timeline::forget(std::uint32_t subtree) {
  if (subtree == kNone) return;
  forget(nodes_[subtree].left);
  forget(nodes_[subtree].right);
  spare_.push_back(subtree);
}

void Timeline::shift(std::uint32_t subtree, std::int64_t instances) {
  if (subtree == kNone) return;
  Node& node = nodes_[subtree];
  for (std::int64_t* each : {&node.free, &node.least, &node.most, &node.owed}) *each += instances;
}

void Timeline::pay(std::uint32_t at) {
  const std::int64_t owed = std::exchange(nodes_[at].owed, 0);
  if (owed == 0) return;
  shift(nodes_[at].left, owed);
  shift(nodes_[at].right, owed);
}

/// What it owed is paid.
void Timeline::sum_up(std::uint32_t at) {
  Node& node = nodes_[at];
  node.least = node.most = node.free;
  for (const std::uint32_t child : {node.left, node.right}) {
    if (child == kNone) continue;
    node.least = std::min(node.least, nodes_[child].least);
    node.most = std::max(node.most, nodes_[child].most);
  }
}

Timeline::Parts Timeline::split(std::uint32_t at, Instant before) {
  if (at == kNone) return {kNone, kNone};
  pay(at);
  Parts parts;
  if (nodes_[at].at < before) {
    parts = split(nodes_[at].right, before);
    nodes_[at].right = std::exchange(parts.first, at);
  } else {
    parts = split(nodes_[at].left, before);
    nodes_[at].left = std::exchange(parts.second, at);
  }
  sum_up(at);
  return parts;
}

/// All of the first are before all of the second.
std::uint32_t Timeline::join(std::uint32_t first, std::uint32_t second) {
  if (first == kNone) return second;
  if (second == kNone) return first;
  const bool is_below = nodes_[first].weight < nodes_[second].weight;
  const std::uint32_t top = is_below ? second : first;
  pay(top);
  if (is_below) {
    nodes_[top].left = join(first, nodes_[top].left);
  } else {
    nodes_[top].right = join(nodes_[top].right, second);
  }
  sum_up(top);
  return top;
}

/// 0 for the empty subtree: times before the first instant are not requested.
std::int64_t Timeline::last_free(std::uint32_t subtree) const {
  std::int64_t free = 0;
  std::int64_t more = 0;
  for (std::uint32_t at = subtree; at != kNone; at = nodes_[at].right) {
    free = nodes_[at].free + more;
    more += nodes_[at].owed;
  }
  return free;
}

void Timeline::cut(Instant at) {
  const Parts parts = split(root_, at + Duration{1});
  const Parts before = split(parts.first, at);
  std::uint32_t here = before.second;
  if (here == kNone) here = made(at, last_free(before.first));
  root_ = join(join(before.first, here), parts.second);
}

template <bool enough>
std::uint32_t Timeline::first(std::uint32_t at, Instant from, std::int64_t instances,
                              std::int64_t more) const {
  if (at == kNone) return kNone;
  const Node& node = nodes_[at];
  const auto fits = [&](std::int64_t free) { return (free + more >= instances) == enough; };
  if (!fits(enough ? node.most : node.least)) return kNone;
  if (node.at < from) return first<enough>(node.right, from, instances, more + node.owed);
  const std::uint32_t before = first<enough>(node.left, from, instances, more + node.owed);
  if (before != kNone) return before;
  if (fits(node.free)) return at;
  return first<enough>(node.right, from, instances, more + node.owed);
}

}  // namespace reeve::policies
