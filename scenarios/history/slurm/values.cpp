// Sources: sacct(1), slurm/src/common/parse_time.c, jobstats/db_handler.py.
#include "scenarios/history/slurm/values.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <string>
#include <utility>

#include "scenarios/history/reading/json_records.hpp"
#include "scenarios/text/clock_time.hpp"
#include "scenarios/text/decimal.hpp"
#include "scenarios/text/quantity.hpp"

namespace reeve::scenarios {
namespace {

using policy::Duration;
using policy::Instant;

/// Takes a whole number off the front of `text`.
template <class Number>
bool take(std::string_view& text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || text.front() == '-') return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

bool take(std::string_view& text, char mark) {
  if (text.empty() || text.front() != mark) return false;
  text.remove_prefix(1);
  return true;
}

constexpr int last_year = 2105;                      ///< Slurm has 32 bits for seconds
constexpr std::int32_t most_array_task = 4'000'000;  ///< the largest MaxArraySize

using SlurmStateRow = std::pair<std::string_view, SlurmState>;
constexpr auto slurm_states = std::to_array<SlurmStateRow>({
    {"COMPLETED", SlurmState::completed},
    {"FAILED", SlurmState::failed},
    {"CANCELLED", SlurmState::cancelled},
    {"TIMEOUT", SlurmState::timeout},
    {"RUNNING", SlurmState::running},
    {"PENDING", SlurmState::pending},
    {"OUT_OF_MEMORY", SlurmState::out_of_memory},
    {"NODE_FAIL", SlurmState::node_fail},
    {"PREEMPTED", SlurmState::preempted},
    {"REQUEUED", SlurmState::requeued},
    {"DEADLINE", SlurmState::deadline},
    {"BOOT_FAIL", SlurmState::node_fail},
    {"SUSPENDED", SlurmState::running},
    {"RESIZING", SlurmState::resizing},
    {"REVOKED", SlurmState::cancelled},
    {"COMPLETING", SlurmState::running},
    {"CONFIGURING", SlurmState::running},
    {"SIGNALING", SlurmState::running},
    {"STAGE_OUT", SlurmState::running},
    {"STOPPED", SlurmState::running},
    {"LAUNCH_FAILED", SlurmState::node_fail},
    {"RECONFIG_FAIL", SlurmState::node_fail},
    {"REQUEUE_FED", SlurmState::requeued},
    {"REQUEUE_HOLD", SlurmState::requeued},
    {"SPECIAL_EXIT", SlurmState::requeued},
    {"RESV_DEL_HOLD", SlurmState::pending},
});

/// Up to the last that Slurm can store; the number of digits is checked by the caller.
std::optional<Instant> civil_time(std::string_view text) {
  const auto digits = [&](std::size_t at, std::size_t count) {
    int value = 0;
    for (std::size_t i = at; i < at + count; ++i) {
      if (text[i] < '0' || text[i] > '9') return -1;
      value = value * 10 + (text[i] - '0');
    }
    return value;
  };
  const int year = digits(0, 4), month = digits(5, 2), day = digits(8, 2);
  const int hour = digits(11, 2), minute = digits(14, 2), second = digits(17, 2);
  if (std::min({year, month, day, hour, minute, second}) < 0) return {};
  const std::chrono::year_month_day date{std::chrono::year{year},
                                         std::chrono::month{static_cast<unsigned>(month)},
                                         std::chrono::day{static_cast<unsigned>(day)}};
  if (!date.ok() || year < 1970 || year > last_year || hour > 23 || minute > 59 || second > 60) {
    return {};
  }
  return std::chrono::sys_days{date} + std::chrono::hours{hour} + std::chrono::minutes{minute} +
         std::chrono::seconds{second};
}

bool is_civil(std::string_view text) {
  return text.size() == 19 && text[4] == '-' && text[7] == '-' &&
         (text[10] == 'T' || text[10] == ' ') && text[13] == ':' && text[16] == ':';
}

/// The forms of SLURM_TIME_FORMAT=relative: "10:00:00", "Ystday 10:00", "Tue 10:00", "3 Aug 10:00".
bool is_relative(std::string_view text) {
  constexpr auto words = std::to_array<std::string_view>(
      {"Ystday", "Tomorr", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"});
  for (const std::string_view word : words) {
    if (text.starts_with(word)) return true;
  }
  const std::size_t rest = text.find_first_not_of("0123456789");
  if (rest == 0 || rest > 2) return false;
  if (text[rest] == ':') return text.find('-') == text.npos;
  return text.size() > rest + 1 && text[rest] == ' ' && text[rest + 1] >= 'A' &&
         text[rest + 1] <= 'Z';
}

/// "a100_3g.20gb" is a part of a GPU.
bool is_slice(std::string_view type) {
  const std::size_t at = type.find("g.");
  const auto digit = [&](std::size_t i) {
    return i < type.size() && type[i] >= '0' && type[i] <= '9';
  };
  return at != type.npos && at > 0 && digit(at - 1) && digit(at + 2);
}

}  // namespace

std::optional<SlurmId> slurm_id(std::string_view text) {
  SlurmId id;
  if (!take(text, id.job)) return {};
  if (take(text, '_')) {
    if (take(text, '[')) {
      const std::size_t end = text.find(']');
      if (end == text.npos) return {};
      id.tasks = text.substr(0, end);
      text.remove_prefix(end + 1);
    } else if (!take(text, id.task) || id.task > most_array_task) {
      return {};
    }
  } else if (take(text, '+')) {
    if (!take(text, id.part)) return {};
  }
  id.is_step = !text.empty() && text.front() == '.';
  return text.empty() || id.is_step ? std::optional{id} : std::nullopt;
}

std::optional<SlurmTasks> slurm_tasks(std::string_view text, std::size_t most) {
  SlurmTasks tasks;
  text = text.substr(0, text.find('%'));
  do {
    if (text == "...") {
      tasks.is_cut = true;
      break;
    }
    std::int32_t from = 0, step = 1;
    if (!take(text, from)) return {};
    std::int32_t until = from;
    if (take(text, '-') && !take(text, until)) return {};
    if (take(text, ':') && (!take(text, step) || step == 0)) return {};
    if (until < from || until > most_array_task) return {};
    for (std::int32_t number = from; number <= until; number += std::min(step, most_array_task)) {
      if (tasks.numbers.size() >= most) {
        tasks.is_cut = true;
        return tasks;
      }
      tasks.numbers.push_back(number);
    }
    if (text == "...") tasks.is_cut = true;
    if (tasks.is_cut) break;
  } while (take(text, ','));
  return text.empty() || tasks.is_cut ? std::optional{std::move(tasks)} : std::nullopt;
}

std::optional<SlurmState> slurm_state(std::string_view text) {
  text = text.substr(0, text.find(' '));
  const bool is_cut = text.ends_with('+');
  if (is_cut) text.remove_suffix(1);
  for (const auto& [name, state] : slurm_states) {
    if (name == text || (is_cut && text.size() > 3 && name.starts_with(text))) return state;
  }
  return {};
}

std::optional<std::uint32_t> cancelled_by(std::string_view text) {
  constexpr std::string_view words = "CANCELLED by ";
  if (!text.starts_with(words)) return {};
  text.remove_prefix(words.size());
  std::uint32_t uid = 0;
  return !text.empty() && take(text, uid) ? std::optional{uid} : std::nullopt;
}

SlurmTime slurm_time(std::string_view text) {
  using Kind = SlurmTime::Kind;
  if (is_civil(text)) {
    const auto local = civil_time(text);
    return local ? SlurmTime{Kind::local, *local} : SlurmTime{Kind::invalid, {}};
  }
  if (text.empty() || text == "Unknown" || text == "None" || text == "N/A") return {};
  if (text.size() <= 10 && text.find_first_not_of("0123456789") == text.npos) {
    std::int64_t seconds = 0;
    take(text, seconds);
    if (seconds == 0 || seconds >= 4'294'967'294) return {};
    return {Kind::exact, Instant{std::chrono::seconds{seconds}}};
  }
  const auto exact = instant_of(text);
  constexpr Instant end{std::chrono::sys_days{std::chrono::year{last_year + 1} / 1 / 1}};
  if (exact && *exact < end) {
    // "2026-08-03", "2026-08-03T10:00:00.250": also without an offset from UTC.
    const bool is_local = text.find_first_of("Zz+ ", 10) == text.npos && text.rfind('-') < 10;
    return {is_local ? Kind::local : Kind::exact, *exact};
  }
  return {is_relative(text) ? Kind::relative : Kind::invalid, {}};
}

std::optional<Duration> slurm_clock(std::string_view text) {
  const bool is_short =
      std::count(text.begin(), text.end(), ':') == 1 && text.find('-') == text.npos;
  const auto length = parse_clock_time(is_short ? "00:" + std::string{text} : std::string{text});
  return length && *length <= longest_run ? length : std::nullopt;
}

bool SlurmResources::read(std::string_view list) {
  bool readable = true;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(','), list.size());
    const std::string_view each = list.substr(0, end);
    list.remove_prefix(std::min(end + 1, list.size()));
    const std::size_t equals = each.find('=');
    const std::string_view name = each.substr(0, equals);
    if (equals == each.npos || (!name.starts_with("gres/") && name != "node")) continue;
    if (name == "gres/gpumem" || name == "gres/gpuutil") continue;
    const auto count = few_digits(each.substr(equals + 1));
    if (count) add(name, *count);
    readable = readable && (count.has_value() || !name.starts_with("gres/gpu"));
  }
  return readable;
}

void SlurmResources::add(std::string_view name, std::int64_t count) {
  constexpr std::string_view typed = "gres/gpu:";
  if (count < 0 || count > 999'999'999) return;
  if (name == "gres/gpu") {
    all_ = count;
  } else if (name.starts_with(typed)) {
    const std::string_view type = name.substr(typed.size());
    typed_ = typed_.value_or(0) + count;
    ++types_;
    slices_ = slices_ || is_slice(type);
    if (count > most_) {
      most_ = count;
      type_ = type;
    }
  } else if (name == "node") {
    nodes_ = count;
  } else if (count > 0 && (name.starts_with("gres/shard") || name.starts_with("gres/mps"))) {
    slices_ = true;
  }
}

}  // namespace reeve::scenarios
