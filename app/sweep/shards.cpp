#include "app/sweep/shards.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <optional>
#include <system_error>
#include <utility>

#include "app/sweep/inputs.hpp"

namespace reeve::app {
namespace {

/// A line on stderr at a terminal, at most twice a second.
class CellProgress {
 public:
  CellProgress(const Console& console, std::size_t cells)
      : watched_{console.watched() && !console.quiet}, cells_{cells} {}
  ~CellProgress() {
    if (shown_) std::fputs("\r\033[K", stderr);
  }
  CellProgress(const CellProgress&) = delete;
  CellProgress& operator=(const CellProgress&) = delete;
  void at(std::size_t cell) {
    const auto now = std::chrono::steady_clock::now();
    if (!watched_ || now - last_ < std::chrono::milliseconds{500}) return;
    last_ = now;
    shown_ = true;
    std::fputs(fmt::format("\r\033[Kcell {} of {}", cell + 1, cells_).c_str(), stderr);
    std::fflush(stderr);
  }

 private:
  bool watched_;
  std::size_t cells_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

std::optional<std::size_t> whole_number(std::string_view digits) {
  std::size_t number = 0;
  const char* const end = digits.data() + digits.size();
  const auto read = std::from_chars(digits.data(), end, number);
  if (read.ec != std::errc{} || read.ptr != end) return std::nullopt;
  return number;
}

}  // namespace

Range cells_of(const SweepPlan& plan, std::size_t shard) {
  const std::size_t first = shard * plan.cells_per_shard;
  return {first, std::min(first + plan.cells_per_shard, plan.cells.size())};
}

bool run_cells(const SweepPlan& plan, Range range, const std::string& directory, unsigned threads,
               const Console& console, std::vector<CellResult>* cells) {
  InputWatch inputs{plan};
  CellProgress progress{console, plan.cells.size()};
  for (std::size_t cell = range.first; cell < range.last; ++cell) {
    progress.at(cell);
    auto result = directory.empty() ? std::nullopt : kept_cell(directory, plan, cell);
    if (!result) {
      result = run_cell(plan, cell, threads, console);
      if (!result) return false;
      inputs.check();
      if (!directory.empty()) keep_cell(directory, plan, cell, *result);
    }
    if (cells != nullptr) cells->push_back(*std::move(result));
  }
  return true;
}

std::vector<std::size_t> missing_in(const std::string& directory, const SweepPlan& plan,
                                    std::vector<CellResult>* cells) {
  std::vector<std::size_t> missing;
  for (std::size_t cell = 0; cell < plan.cells.size(); ++cell) {
    auto kept = kept_cell(directory, plan, cell);
    if (!kept) {
      missing.push_back(cell);
    } else if (cells != nullptr) {
      cells->push_back(*std::move(kept));
    }
  }
  return missing;
}

std::vector<std::size_t> shards_of(const SweepPlan& plan, const std::vector<std::size_t>& cells) {
  std::vector<std::size_t> shards;
  for (const std::size_t cell : cells) {
    const std::size_t shard = cell / plan.cells_per_shard;
    if (shards.empty() || shards.back() != shard) shards.push_back(shard);
  }
  return shards;
}

std::string shards_text(const std::vector<std::size_t>& shards) {
  std::string text;
  for (std::size_t first = 0; first < shards.size();) {
    std::size_t last = first;
    while (last + 1 < shards.size() && shards[last + 1] == shards[last] + 1) ++last;
    text += text.empty() ? "" : ",";
    text += first == last ? fmt::format("{}", shards[first])
                          : fmt::format("{}-{}", shards[first], shards[last]);
    first = last + 1;
  }
  return text;
}

std::optional<std::size_t> shard_at(std::string_view text, std::size_t place) {
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find(','));
    text.remove_prefix(std::min(part.size() + 1, text.size()));
    const std::size_t dash = part.find('-');
    const auto first = whole_number(part.substr(0, dash));
    const auto last = dash == part.npos ? first : whole_number(part.substr(dash + 1));
    if (!first || !last || *last < *first) return std::nullopt;
    if (place <= *last - *first) return *first + place;
    place -= *last - *first + 1;
  }
  return std::nullopt;
}

}  // namespace reeve::app
