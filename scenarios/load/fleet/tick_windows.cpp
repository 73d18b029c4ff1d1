// Windows of the tick world: which part of the recorded markets each run meets.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "scenarios/load/fleet/steps.hpp"
#include "scenarios/records/market_reading.hpp"
#include "scenarios/text/csv_header.hpp"

namespace reeve::scenarios {
namespace {

using models::TickWindow;
using policy::Market;

struct WindowColumn {
  enum Index : std::size_t { trace, start_index, len, window, start_time };
};
constexpr std::array<std::string_view, 5> window_columns{"trace", "start_index", "len", "window",
                                                         "start_time"};
constexpr std::array<std::string_view, 2> required{"start_index", "len"};

/// The rows of the file that are meant, checked against the records they are parts of.
class WindowReader {
 public:
  WindowReader(const TickWindowsInput& input, std::uint64_t ticks) : input_{input}, ticks_{ticks} {}

  std::vector<TickWindow> read(const std::filesystem::path& path, Findings& findings) {
    const std::string name = path.string();
    const TraceLimits limits;
    CsvReader csv{name, Inflater{name, open_file(path), limits.decompressed_bytes},
                  limits.record_bytes};
    try {
      read_rows(csv, findings);
    } catch (const InputError&) {
      csv.check_rest();  // damaged data reads as nonsense before its check sum is reached
      throw;
    }
    if (windows_.empty()) throw InputError{nothing(name)};
    return std::move(windows_);
  }

 private:
  void read_rows(CsvReader& csv, Findings& findings) {
    const CsvHeader header = CsvHeader::read(csv, window_columns, required);
    for (const Diagnostic& warning : header.warnings()) findings.add(warning);
    while (csv.next()) {
      header.check_width(csv);
      take(csv, header);
    }
  }

  void take(const CsvReader& csv, const CsvHeader& header) {
    if (header.has(WindowColumn::trace)) {
      const CsvCell cell{csv, header.field(WindowColumn::trace), "trace"};
      const std::string of{cell.text()};
      if (std::find(names_.begin(), names_.end(), of) == names_.end()) names_.push_back(of);
      if (input_.trace && of != *input_.trace) return;
      if (!input_.trace && names_.size() > 1) {
        throw InputError{cell.at("E0336",
                                 "the file has windows of several traces, and none is selected",
                                 "select one with \"trace\" of the windows")};
      }
    } else if (input_.trace) {
      throw InputError{csv.at(
          0, "E0336", fmt::format("no column assigns windows to {}", in_quotes(*input_.trace)),
          "leave \"trace\" out")};
    }
    const CsvCell first{csv, header.field(WindowColumn::start_index), "start_index"};
    const CsvCell length{csv, header.field(WindowColumn::len), "len"};
    const auto begin = static_cast<std::uint64_t>(read_count(first));
    const auto ticks = static_cast<std::uint64_t>(read_count(length));
    if (ticks == 0) throw InputError{length.at("E0324", "the window has no ticks", "")};
    if (begin >= ticks_ || ticks > ticks_ - begin) {
      throw InputError{
          length.at("E0324", "a window outside the record",
                    fmt::format("{} ticks from tick {} on, of {}", ticks, begin, ticks_))};
    }
    windows_.push_back({begin, ticks});
  }

  Diagnostic nothing(const std::string& name) const {
    if (!input_.trace || names_.empty()) {
      return about_trace(name, "E0320", "the file has no window");
    }
    return at(*input_.written->find("trace"), "E0336",
              fmt::format("no windows of {}", in_quotes(*input_.trace)),
              "not in the column \"trace\"")
        .with_help(did_you_mean(*input_.trace, names_));
  }

  const TickWindowsInput& input_;
  std::uint64_t ticks_;
  std::vector<std::string> names_;
  std::vector<TickWindow> windows_;
};

/// The ticks of the shortest record; nothing after a finding.
std::optional<std::uint64_t> recorded_ticks(Loading& loading, const Node& node) {
  std::optional<std::uint64_t> ticks;
  const models::World& world = loading.world();
  for (std::size_t pool = 0; pool < world.pools.size(); ++pool) {
    if (world.pools[pool].market != Market::spot) continue;
    const RecordTicks& record = loading.markets.ticks[pool];
    if (record.ticks > 0 && record.tick > Duration{0}) {
      ticks = std::min(ticks.value_or(record.ticks), record.ticks);
      continue;
    }
    loading.error(
        node, "E0239",
        fmt::format("fleet {} has no tick record for windows", in_quotes(world.pools[pool].name)),
        "its \"availability\" has no trace with ticks");
    return std::nullopt;
  }
  return ticks;
}

}  // namespace

void load_tick_windows(Loading& loading, const TickWindowsInput& input) {
  const auto file = input.written->find("file");
  if (!file || loading.findings.errors() > 0) return;  // its absence is reported already
  const auto ticks = recorded_ticks(loading, *input.written);
  const auto path = find_trace(loading, input.file, *file);
  if (!ticks || !path) return;
  auto windows = loading.findings.attempt([&] {
    return WindowReader{input, *ticks}.read(*path, loading.findings);
  });
  if (!windows) return;
  const std::uint32_t runs = loading.scenario.runs;
  if (runs > windows->size()) {
    loading.error(loading.input.written->find("random")->find("runs").value(), "E0323",
                  fmt::format("{} runs, but the file has {}", runs,
                              windows->size() == 1 ? "one window"
                                                   : fmt::format("{} windows", windows->size())),
                  "each run needs its own window");
  }
  loading.world().ticks.windows = std::move(*windows);
}

}  // namespace reeve::scenarios
