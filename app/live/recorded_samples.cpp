#include "app/live/recorded_samples.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <fstream>
#include <system_error>

#include "app/files/text_file.hpp"
#include "live/aws/timestamps.hpp"

namespace reeve::app {

namespace fs = std::filesystem;
using policy::Instant;

live::MetricSource::Read ToldMetrics::gpu_utilization(std::span<const std::string> hosts,
                                                      Instant from, Instant until) {
  Read read = source_.gpu_utilization(hosts, from, until);
  const auto* series = std::get_if<std::vector<models::MetricSeries>>(&read);
  if (series == nullptr) return read;
  for (std::size_t place = 0; place < hosts.size(); ++place) {
    Instant& next = next_.try_emplace(hosts[place], Instant::min()).first->second;
    for (Instant minute = std::max(from, next); minute < until; minute += live::metric_sample) {
      const auto percent = (*series)[place].at(minute);
      if (!percent) continue;
      on_sample_(hosts[place], minute, *percent);
      next = minute + live::metric_sample;
    }
  }
  return read;
}

std::string sample_line(const std::string& host, Instant minute, double percent) {
  return fmt::format("{},{},{}\n", live::iso_date(minute), host, percent);
}

RecordedSamples::RecordedSamples(const fs::path& file) {
  std::ifstream lines{file, std::ios::binary};
  std::string line;
  if (!std::getline(lines, line)) return;
  // The last line of a killed run may be incomplete.
  while (std::getline(lines, line) && !lines.eof()) {
    if (!take(line)) ++unreadable_;
  }
}

/// "2026-03-02T01:00:00Z,train/algo-2,760"
bool RecordedSamples::take(const std::string& line) {
  constexpr std::string_view before_number = "/algo-";
  const std::size_t first = line.find(',');
  const std::size_t last = line.rfind(',');
  if (first == std::string::npos || last == first) return false;
  const std::string host = line.substr(first + 1, last - first - 1);
  const std::size_t slash = host.rfind(before_number);
  const auto minute = live::parse_iso_date(line.substr(0, first));
  if (slash == std::string::npos || !minute) return false;
  Sample sample{.minute = *minute};
  const char* const end_of_host = host.data() + host.size();
  const auto number =
      std::from_chars(host.data() + slash + before_number.size(), end_of_host, sample.host);
  const char* const end = line.data() + line.size();
  const auto percent = std::from_chars(line.data() + last + 1, end, sample.percent);
  if (number.ec != std::errc{} || number.ptr != end_of_host || sample.host == 0) return false;
  if (percent.ec != std::errc{} || percent.ptr != end || !(sample.percent >= 0)) return false;
  by_job_[host.substr(0, slash)].push_back(sample);
  return true;
}

std::optional<std::string> RecordedSamples::trace(const std::string& job, Instant training,
                                                  std::uint32_t gpus) const {
  const auto found = by_job_.find(job);
  if (found == by_job_.end()) return std::nullopt;
  std::vector<Sample> samples = found->second;
  std::erase_if(samples, [&](const Sample& sample) { return sample.minute < training; });
  if (samples.empty()) return std::nullopt;
  std::stable_sort(samples.begin(), samples.end(),
                   [](const Sample& a, const Sample& b) { return a.minute < b.minute; });
  constexpr double most = 100;
  std::string csv = "t_s,host,gpu_util_pct\n";
  for (const Sample& sample : samples) {
    csv +=
        fmt::format("{},{},{}\n", std::chrono::duration<double>(sample.minute - training).count(),
                    sample.host, std::min(most, sample.percent / std::max(gpus, 1U)));
  }
  return csv;
}

TraceFiles::~TraceFiles() {
  std::error_code ignored;
  if (!folder_.empty()) fs::remove_all(folder_, ignored);
}

std::string TraceFiles::add(const std::string& text) {
  if (folder_.empty()) {
    folder_ = fs::temp_directory_path() / fmt::format("reeve-drift-{}", ::getpid());
  }
  const fs::path file = folder_ / fmt::format("{}.csv", ++files_);
  write_text_file(file, text);
  return file.string();
}

}  // namespace reeve::app
