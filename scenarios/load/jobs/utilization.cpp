// What a job says of its GPUs: constants, traces from files, distributions and phases.
#include "models/utilization.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "scenarios/load/jobs/steps.hpp"
#include "scenarios/records/utilization_reading.hpp"
#include "scenarios/text/csv.hpp"
#include "scenarios/text/csv_header.hpp"

namespace reeve::scenarios {
namespace {

using models::Utilization;
using models::UtilLaw;
using models::UtilTrace;

constexpr std::string_view job_mark = "{job}";
constexpr std::string_view host_mark = "{host}";

std::string with(std::string text, std::string_view mark, std::string_view name) {
  for (std::size_t at = text.find(mark); at != text.npos; at = text.find(mark, at + name.size())) {
    text.replace(at, mark.size(), name);
  }
  return text;
}

// ---- distributions ---------------------------------------------------------------------------

/// Puts a point behind the others, or says what is wrong with it.
std::string add_point(UtilLaw& law, double percentile, double percent) {
  if (!law.points.empty()) {
    if (percentile / 100 < law.points.back().first) return "percentiles must not fall";
    if (percent < law.points.back().second) return "values must not fall as percentiles rise";
  }
  law.points.emplace_back(percentile / 100, percent);
  return {};
}

/// percentile,value.
UtilLaw read_law(const std::filesystem::path& path) {
  constexpr std::array<std::string_view, 2> names{"percentile", "value"};
  const TraceLimits limits;
  CsvReader csv{path.string(), Inflater{path.string(), open_file(path), limits.decompressed_bytes},
                limits.record_bytes};
  const CsvHeader header = CsvHeader::read(csv, names, names);
  UtilLaw law;
  while (csv.next()) {
    header.check_width(csv);
    std::array<double, 2> values{};
    for (std::size_t i = 0; i < names.size(); ++i) {
      const std::size_t field = header.field(i);
      const auto value = read_percent(trimmed(csv.fields()[field]));
      if (!value || std::isnan(*value)) {
        throw InputError{csv.at(field, "E0313", fmt::format("{} is not a number", names[i]),
                                "expected a number")};
      }
      if (*value < 0 || *value > 100) {
        throw InputError{csv.at(field, "E0332",
                                fmt::format("{} is not between 0 and 100", names[i]),
                                "expected a percentage")};
      }
      values[i] = *value;
    }
    const std::string problem = add_point(law, values[0], values[1]);
    if (!problem.empty()) throw InputError{csv.at(header.field(0), "E0227", problem, "falls")};
  }
  const bool whole = !law.points.empty() && law.points.back().first == 1;
  if (whole) return law;
  throw InputError{csv.at(0, "E0227", "a distribution must end at percentile 100",
                          law.points.empty() ? "there is no point" : "ends here")};
}

std::optional<UtilLaw> law_of(Loading& loading, const UtilLawInput& input, const Node& node) {
  if (!input.file.empty()) {
    const auto path = find_trace(loading, input.file, node);
    if (!path) return std::nullopt;
    return loading.findings.attempt([&] { return read_law(*path); });
  }
  UtilLaw law;
  for (std::size_t i = 0; i < input.points.size(); ++i) {
    const std::string problem = add_point(law, input.points[i].first, input.points[i].second);
    if (problem.empty()) continue;
    loading.error(node[i], "E0227", problem, "falls");
    return std::nullopt;
  }
  if (!law.points.empty() && law.points.back().first == 1) return law;
  loading.error(node, "E0227", "a distribution must end at percentile 100",
                "the largest values are missing");
  return std::nullopt;
}

// ---- keys that do not go together ------------------------------------------------------------

void refuse_utilization(Loading& loading, const Place& place, std::string_view key, bool allowed,
                        std::string_view why) {
  const auto node = place.find("gpu_util", key);
  if (!node || allowed) return;
  loading.findings.add(
      at_key(*node, "E0228", fmt::format("\"{}\" has no meaning here", key), std::string{why}));
}

void check_utilization_keys(Loading& loading, const ProfileInput& input, const Place& place) {
  const auto trace = place.find("gpu_util", "trace");
  const auto cdf = place.find("gpu_util", "cdf");
  for (const std::string_view key : {"format", "scale", "gaps", "beyond_end", "no_file", "host"}) {
    refuse_utilization(loading, place, key, trace.has_value(), "only with \"trace\"");
  }
  refuse_utilization(loading, place, "changes_every", cdf.has_value(), "only with \"cdf\"");
  if (trace && cdf) {
    loading.error(*cdf, "E0206", "\"trace\" and \"cdf\" both set the utilization", "choose one");
  }
  if (cdf && !input.gpu_util.changes_every && !place.find("gpu_util", "changes_every")) {
    loading.error(*cdf, "E0202", "a distribution lacks the key \"changes_every\"",
                  "the duration of a level is missing", "add \"changes_every\": \"30m\"");
  }
  if (trace && !input.gpu_phases.empty()) {
    loading.findings.add(at_key(place.of("gpu_phases"), "E0228",
                                "\"gpu_phases\" have no meaning beside a trace",
                                "the trace has its own phases"));
  }
}

bool check_profile_phases(Loading& loading, const ProfileInput& input) {
  for (const GpuPhaseInput& phase : input.gpu_phases) {
    if (phase.phase.every == Duration{0} || phase.phase.lasts <= phase.phase.every) continue;
    loading.error(*phase.written->find("every"), "E0227", "the next phase begins before this ends",
                  fmt::format("each lasts {}", show(phase.phase.lasts)));
    return false;
  }
  return true;
}

// ---- traces ----------------------------------------------------------------------------------

/// The trace of one job, and who of its hosts it is of.
struct Bound {
  std::shared_ptr<const UtilTrace> trace;
  bool one_for_all = false;
  bool doubted = false;  ///< W0315 was said of it
  bool seems_in_milliseconds = false;
};

/// Finds the trace of one job, in one file or in one for each host.
class TraceOfJob {
 public:
  TraceOfJob(Loading& loading, const ProfileInput& input, const Place& place, std::string_view job,
             std::uint32_t instances, std::uint32_t gpus)
      : loading_{loading},
        input_{input.gpu_util},
        node_{*place.find("gpu_util", "trace")},
        place_{place},
        job_{job},
        instances_{instances},
        gpus_{gpus} {}

  std::optional<Bound> bind() {
    auto bound = find();
    if (!bound) return bound;
    bound->doubted = doubted_;
    bound->seems_in_milliseconds = seems_in_milliseconds_;
    return bound;
  }

 private:
  std::optional<Bound> find() {
    const std::string pattern = with(*input_.trace, job_mark, job_);
    if (input_.may_lack_file && lacks_file(pattern)) return no_metric();
    if (pattern.find(host_mark) != pattern.npos) return of_each_host(pattern);
    const auto file = read(pattern);
    if (!file) return std::nullopt;
    const UtilOfJob* found = series_of(*file);
    if (found == nullptr) return std::nullopt;
    if (found->names_hosts) return of_named_hosts(*found);
    return of_one_host(*found, pattern);
  }

  bool lacks_file(const std::string& pattern) const {
    std::error_code failed;
    return input_.trace->find(job_mark) != std::string::npos &&
           !std::filesystem::exists(loading_.folder / with(pattern, host_mark, "1"), failed);
  }

  Bound no_metric() {
    const auto empty = [&] {
      auto trace = std::make_shared<UtilTrace>();
      trace->hosts.resize(instances_);
      return trace;
    };
    return {kept(fmt::format("no file|{} hosts", instances_), empty), false};
  }

  void warn(std::string message, std::string label, std::string help = {}) {
    doubted_ = true;
    loading_.warning(node_, "W0315", std::move(message), std::move(label), std::move(help));
  }

  /// A file that is named again is not read again.
  std::shared_ptr<const UtilFile> read(const std::string& name) {
    const auto path = find_trace(loading_, name, node_);
    if (!path) return nullptr;
    UtilOptions options = input_.read;
    options.gpus = gpus_;
    const auto number = [](const auto& choice) { return choice ? static_cast<int>(*choice) : -1; };
    const std::string key =
        fmt::format("{}|{}|{}|{}|{}", path->string(), number(options.format), number(options.scale),
                    static_cast<int>(options.gaps), gpus_);
    const auto [known, added] = loading_.utilization.files.try_emplace(key);
    if (!added) return noted(known->second);
    auto file = loading_.findings.attempt([&] { return read_utilization(*path, options); });
    if (!file) return nullptr;
    for (const Diagnostic& warning : file->warnings) loading_.findings.add(warning);
    if (file->gpus_seen > 0 && gpus_ > 0 && file->gpus_seen != gpus_) {
      warn(fmt::format("the log has {} GPUs, but hosts have {}", file->gpus_seen, gpus_),
           "the mean of the logged GPUs is used for all");
    }
    return noted(known->second = std::make_shared<const UtilFile>(std::move(*file)));
  }

  std::shared_ptr<const UtilFile> noted(std::shared_ptr<const UtilFile> file) {
    if (file && file->seems_in_milliseconds) seems_in_milliseconds_ = true;
    return file;
  }

  const UtilOfJob* series_of(const UtilFile& file) {
    const UtilOfJob* any = nullptr;
    std::vector<std::string_view> names;
    for (const UtilOfJob& series : file.jobs) {
      if (series.job == job_) return &series;
      if (series.job.empty()) any = &series;
      names.push_back(series.job);
    }
    if (any != nullptr) return any;
    const bool of_its_own = input_.trace->find(job_mark) != std::string::npos;
    if (of_its_own && file.jobs.size() == 1) {
      warn(fmt::format("the trace is for job {}", in_quotes(file.jobs.front().job)),
           "used anyway, because the file is named after the job");
      return &file.jobs.front();
    }
    loading_.error(node_, "E0336",
                   job_.empty() ? "the trace names jobs, but drawn jobs have other names"
                                : fmt::format("the trace has no rows of job {}", in_quotes(job_)),
                   "no rows match", did_you_mean(job_, names));
    return nullptr;
  }

  /// "algo-3, algo-4, ...": the first few.
  static std::string listed(const std::vector<std::size_t>& hosts) {
    std::string text;
    for (std::size_t i = 0; i < std::min<std::size_t>(hosts.size(), 4); ++i) {
      text += fmt::format("{}algo-{}", i > 0 ? ", " : "", hosts[i]);
    }
    return hosts.size() > 4 ? text + ", ..." : text;
  }

  Bound of_named_hosts(const UtilOfJob& series) {
    if (const auto host = place_.find("gpu_util", "host")) {
      loading_.findings.add(
          at_key(*host, "E0228", "\"host\" has no meaning here", "the trace names its hosts"));
    }
    const auto& hosts = series.trace->hosts;
    std::vector<std::size_t> unknown;
    std::vector<std::size_t> beyond;
    for (std::size_t host = 1; host <= std::max<std::size_t>(instances_, hosts.size()); ++host) {
      const bool known = host <= hosts.size() && !hosts[host - 1].empty();
      if (!known && host <= instances_) unknown.push_back(host);
      if (known && host > instances_) beyond.push_back(host);
    }
    if (!unknown.empty()) {
      warn(fmt::format("{} of {} hosts of the job have no rows in the trace: {}", unknown.size(),
                       instances_, listed(unknown)),
           "their metrics are missing");
    }
    if (!beyond.empty()) {
      warn(fmt::format("the trace has rows of {} more host{}: {}; the job has {}", beyond.size(),
                       beyond.size() == 1 ? "" : "s", listed(beyond), instances_),
           "they are ignored");
    }
    return {series.trace, false};
  }

  Bound of_one_host(const UtilOfJob& series, const std::string& name) {
    const std::uint16_t host = input_.host.value_or(instances_ == 1 ? 1 : 0);
    if (!input_.host && instances_ > 1) {
      warn(fmt::format("the trace covers one host, but the job has {}", instances_),
           "all hosts are assumed to have the same values",
           "use \"host\": \"all\", or the host's number");
    }
    if (host <= 1) return {series.trace, host == 0};
    if (host > instances_) {
      warn(fmt::format("host {} of a job with {}", host, counted(instances_, "instance")),
           "hosts count from 1");
    }
    const auto moved = [&] {
      auto trace = std::make_shared<UtilTrace>();
      trace->hosts.resize(host);
      trace->hosts.back() = series.trace->hosts.front();
      trace->length = series.trace->length;
      return trace;
    };
    return {kept(fmt::format("{}|host {}", name, host), moved), false};
  }

  std::optional<Bound> of_each_host(const std::string& pattern) {
    if (const auto host = place_.find("gpu_util", "host")) {
      loading_.findings.add(at_key(*host, "E0228", "\"host\" has no meaning here",
                                   "{host} already selects the file"));
    }
    std::vector<std::shared_ptr<const UtilTrace>> hosts;
    for (std::uint32_t host = 1; host <= instances_; ++host) {
      const auto file = read(with(pattern, host_mark, std::to_string(host)));
      if (!file) return std::nullopt;
      const UtilOfJob* series = series_of(*file);
      if (series == nullptr) return std::nullopt;
      if (series->names_hosts) {
        loading_.error(node_, "E0336", "a per-host file has rows that name hosts",
                       "the host is ambiguous");
        return std::nullopt;
      }
      hosts.push_back(series->trace);
    }
    const auto joined = [&] {
      auto trace = std::make_shared<UtilTrace>();
      for (const auto& host : hosts) {
        trace->hosts.push_back(host->hosts.front());
        trace->length = std::max(trace->length, host->length);
      }
      return trace;
    };
    return Bound{kept(fmt::format("{}|{} hosts", pattern, instances_), joined), false};
  }

  /// A trace made of others, once for all who ask for it.
  template <class Make>
  std::shared_ptr<const UtilTrace> kept(std::string key, const Make& make) {
    key += fmt::format("|{}|{}", static_cast<int>(input_.read.gaps), gpus_);
    auto& file = loading_.utilization.files[key];
    if (!file) {
      auto made = std::make_shared<UtilFile>();
      made->jobs.push_back({{}, true, make()});
      file = std::move(made);
    }
    return file->jobs.front().trace;
  }

  Loading& loading_;
  const GpuUtilInput& input_;
  Node node_;
  const Place& place_;
  std::string_view job_;
  std::uint32_t instances_;
  std::uint32_t gpus_;
  bool doubted_ = false;
  bool seems_in_milliseconds_ = false;
};

/// Warns of a trace that is so much longer than the work that its unit may be another.
void check_trace_unit(Loading& loading, const Node& trace, const models::UtilTrace& read,
                      const models::JobProfile& profile, Duration work) {
  constexpr int most_trainings = 100;
  const Duration training = training_time(loading.world(), profile, work);
  if (read.length / most_trainings <= training) return;
  if (!loading.utilization.too_long.insert(trace.offset()).second) return;
  loading.warning(trace, "W0493",
                  fmt::format("the GPU trace lasts {}, but the job trains for {}",
                              show(read.length), show(training)),
                  "used as written",
                  "t_s is in seconds: convert the times if these are milliseconds");
}

/// Warns of one that is over before the work is.
void check_trace_length(Loading& loading, const Node& trace, const models::Utilization& read,
                        const models::JobProfile& profile, Duration work) {
  const auto stated = trace.parent();
  if (read.beyond_end != models::BeyondEnd::hold || (stated && stated->find("beyond_end"))) return;
  const Duration training = training_time(loading.world(), profile, work);
  // The last sample stands for the time until the next, which is not in the file.
  const Duration missing = training - read.trace->length;
  if (missing <= std::max(Duration{std::chrono::minutes{1}}, training / 100)) return;
  if (!loading.utilization.too_short.insert(trace.offset()).second) return;
  loading.warning(trace, "W0478",
                  fmt::format("the GPU trace ends after {}, but the job trains for {}",
                              show(read.trace->length), show(training)),
                  "its last value is used from then on",
                  "set \"beyond_end\" to \"hold\", \"repeat\" or \"missing\"");
}

}  // namespace

bool traced_by_job(const ProfileInput& input) {
  const auto& trace = input.gpu_util.trace;
  return trace && trace->find(job_mark) != std::string::npos;
}

bool resolve_utilization(Loading& loading, const ProfileInput& input, const Place& place,
                         models::JobProfile& profile) {
  const std::size_t errors = loading.findings.errors();
  check_utilization_keys(loading, input, place);
  if (!check_profile_phases(loading, input) || loading.findings.errors() > errors) return false;
  if (!input.gpu_util.cdf && input.gpu_phases.empty()) return true;
  Utilization utilization;
  if (input.gpu_util.cdf) {
    const auto law = law_of(loading, *input.gpu_util.cdf, *place.find("gpu_util", "cdf"));
    if (!law) return false;
    utilization.law = *law;
    utilization.law.every = input.gpu_util.changes_every.value_or(Duration::max());
  }
  for (const GpuPhaseInput& phase : input.gpu_phases) utilization.phases.push_back(phase.phase);
  profile.utilization = std::make_shared<const Utilization>(std::move(utilization));
  return true;
}

bool bind_utilization(Loading& loading, const ProfileInput& input, const Place& place,
                      std::string_view job, std::uint32_t instances, Duration work,
                      models::JobProfile& profile) {
  if (!input.gpu_util.trace) return true;
  const std::size_t errors = loading.findings.errors();
  const policy::TypeId type = loading.world().pools[profile.pool.index].type;
  const std::uint32_t gpus = loading.world().directory.types[type.index].gpus;
  auto bound = TraceOfJob{loading, input, place, job, instances, gpus}.bind();
  if (!bound || loading.findings.errors() > errors) return false;
  Utilization utilization;
  utilization.trace = std::move(bound->trace);
  utilization.one_for_all = bound->one_for_all;
  utilization.beyond_end = input.gpu_util.beyond_end;
  if (bound->seems_in_milliseconds)
    check_trace_unit(loading, *place.find("gpu_util", "trace"), *utilization.trace, profile, work);
  // Of a trace that was not made for the job its length says no more.
  if (!bound->doubted)
    check_trace_length(loading, *place.find("gpu_util", "trace"), utilization, profile, work);
  const auto next = static_cast<std::uint32_t>(loading.utilization.ids.size() + 1);
  utilization.id = loading.utilization.ids.try_emplace(utilization.trace.get(), next).first->second;
  profile.utilization = std::make_shared<const Utilization>(std::move(utilization));
  return true;
}

void append_utilization(std::string& key, const models::JobProfile& profile) {
  const auto append = [&key](const auto& value) {
    key.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  append(profile.utilization != nullptr);
  if (!profile.utilization) return;
  const Utilization& utilization = *profile.utilization;
  append(utilization.id);
  append(utilization.one_for_all);
  append(utilization.beyond_end);
  append(utilization.law.every.count());
  append(utilization.law.points.size());
  for (const auto& [share, percent] : utilization.law.points) {
    append(share);
    append(percent);
  }
  append(utilization.phases.size());
  for (const models::UtilPhase& phase : utilization.phases) {
    append(phase.name.size());
    key += phase.name;
    append(phase.at.count());
    append(phase.every.count());
    append(phase.lasts.count());
    append(phase.percent);
  }
}

}  // namespace reeve::scenarios
