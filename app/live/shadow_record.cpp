#include "app/live/shadow_record.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <system_error>
#include <utility>

#include "app/files/text_file.hpp"
#include "app/live/recorded_samples.hpp"
#include "app/usage_error.hpp"
#include "host/enum_names.hpp"
#include "live/aws/timestamps.hpp"
#include "report/display_width.hpp"
#include "report/format.hpp"
#include "report/json_text.hpp"
#include "scenarios/text/diagnostic.hpp"

namespace reeve::app {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

constexpr const char* status_name = "status.json";
constexpr const char* proposals_name = "proposals.jsonl";
constexpr double micros_per_usd = 1e6;

std::string wall_time() {
  return report::instant(std::chrono::floor<std::chrono::seconds>(
      policy::Instant{std::chrono::system_clock::now().time_since_epoch()}));
}

void flush(report::FileStream& stream) {
  stream.flush();
  if (!stream) stream.close();  // tells the reason
}

std::string text_of_file(const fs::path& file) {
  std::ifstream in{file, std::ios::binary};
  std::ostringstream text;
  text << in.rdbuf();
  return std::move(text).str();
}

void create(const fs::path& directory) {
  std::error_code error;
  if (fs::exists(directory, error) &&
      (!fs::is_directory(directory, error) || !fs::is_empty(directory, error))) {
    throw UsageError{scenarios::in_quotes(directory.string()) + " exists and is not empty",
                     "name a new directory: no record is overwritten"};
  }
  fs::create_directories(directory, error);
  if (error) {
    throw UsageError{
        scenarios::in_quotes(directory.string()) + " cannot be created: " + error.message(),
        "--out night"};
  }
}

ordered_json json_of(const Proposal& row) {
  ordered_json line{{"time", report::instant(row.at)},
                    {"training_job", row.name},
                    {"attempt", row.attempt},
                    {"rule", row.rule},
                    {"action", host::name_of(row.action)},
                    {"reason", row.reason},
                    {"basis", row.basis},
                    {"refused_by", row.refused_by},
                    {"saves_up_to_usd", nullptr}};
  if (row.saves_up_to) {
    line["saves_up_to_usd"] = static_cast<double>(row.saves_up_to->micros()) / micros_per_usd;
  }
  return line;
}

policy::VerbKind verb_named(const std::string& name) {
  const auto& names = host::enum_names<policy::VerbKind>;
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) throw std::invalid_argument{"action " + name};
  return static_cast<policy::VerbKind>(found - names.begin());
}

Proposal proposal_in(const ordered_json& line) {
  Proposal row;
  const auto at = live::parse_iso_date(line.at("time").get<std::string>());
  if (!at) throw std::invalid_argument{"time"};
  row.at = *at;
  row.name = line.at("training_job");
  if (!line.at("attempt").is_number_unsigned()) throw std::invalid_argument{"attempt"};
  const auto attempt = line.at("attempt").get<std::uint64_t>();
  if (attempt > std::numeric_limits<policy::AttemptNumber>::max()) {
    throw std::invalid_argument{"attempt"};
  }
  row.attempt = static_cast<policy::AttemptNumber>(attempt);
  row.rule = line.at("rule");
  row.action = verb_named(line.at("action"));
  row.reason = line.at("reason");
  row.basis = line.at("basis");
  row.refused_by = line.at("refused_by");
  if (const auto& saves = line.at("saves_up_to_usd"); saves.is_number()) {
    constexpr double most_usd = 1e9;  // of one stop
    if (!(std::abs(saves.get<double>()) <= most_usd)) throw std::invalid_argument{"saves"};
    row.saves_up_to = policy::Usd::from_micros(std::llround(saves.get<double>() * micros_per_usd));
  }
  return row;
}

/// Of the attempts that have not ended: how many are in each status.
ordered_json jobs_by_status(const host::Belief& belief) {
  std::map<std::string, std::uint64_t> counts;
  for (std::uint32_t job = 0; job < belief.job_count(); ++job) {
    if (!belief.knows({job})) continue;
    const policy::JobStatus& status = belief.status({job});
    const bool ended = policy::is_terminal(status.primary);
    ++counts[ended ? "ended" : std::string{host::name_of(status.secondary)}];
  }
  return counts;
}

}  // namespace

ShadowRecord::ShadowRecord(const std::string& directory, RuleRun& rules,
                           const std::string& configuration)
    : directory_{directory}, rules_{rules}, started_{wall_time()} {
  create(directory_);
  write_text_file(directory_ / "configuration.jsonc", rules.configuration_text());
  folder_ = fs::absolute(fs::path{configuration}).parent_path().string();
  journal_ = open("journal.txt");
  events_ = open("events.jsonl");
  proposals_ = open(proposals_name);
  rules_.write_journal_to(*journal_);
  rules_.roster().set_listener([this](const live::FleetEvent& event, policy::Instant now) {
    *events_ << recording_.line(event, now) << '\n';
  });
  write_status("starting");
}

ShadowRecord::~ShadowRecord() {
  rules_.roster().set_listener({});
  if (has_ended_) return;
  try {
    write_status("failed");
  } catch (const std::exception&) {  // nothing more can be said
    return;
  }
}

std::unique_ptr<report::FileStream> ShadowRecord::open(const char* name) const {
  const fs::path file = directory_ / name;
  constexpr mode_t readable = 0666;
  const int descriptor =
      ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, readable);
  if (descriptor < 0) report::refuse_write(file.string(), errno);
  return std::make_unique<report::FileStream>(descriptor, file.string());
}

void ShadowRecord::note_trouble(const live::FailedCall& failed) {
  trouble_ = failed;
  trouble_at_ = wall_time();
}

void ShadowRecord::take_sample(const std::string& host, policy::Instant minute, double percent) {
  if (!metrics_) {
    metrics_ = open("metrics.csv");
    *metrics_ << samples_header << '\n';
  }
  *metrics_ << sample_line(host, minute, percent);
}

void ShadowRecord::keep() {
  if (written_ < rules_.proposals().size()) write_proposals();
  rules_.flush_journal();
  flush(*journal_);
  flush(*events_);
  if (metrics_) flush(*metrics_);
  if (Clock::now() - stated_ < std::chrono::seconds{2}) return;
  stated_ = Clock::now();
  write_status("running");
}

void ShadowRecord::keep_all() {
  stated_ = {};
  keep();
}

void ShadowRecord::end(std::string_view state) {
  write_proposals();
  rules_.flush_journal();
  for (auto* stream : {&journal_, &events_, &proposals_, &metrics_}) {
    if (*stream) (*stream)->close();
  }
  write_status(state);
  has_ended_ = true;
}

void ShadowRecord::write_proposals() {
  for (; written_ < rules_.proposals().size(); ++written_) {
    *proposals_ << report::json_text(json_of(rules_.proposals()[written_])) << '\n';
  }
  flush(*proposals_);
}

void ShadowRecord::write_status(std::string_view state) const {
  ordered_json status{{"reeve_shadow", 1},
                      {"configuration", rules_.configuration_name()},
                      {"policy", rules_.policy_name()},
                      {"folder", folder_},
                      {"state", state},
                      {"process", ::getpid()},
                      {"process_start", process_start(static_cast<std::uint64_t>(::getpid()))},
                      {"started", started_},
                      {"written", wall_time()},
                      {"rules", rules_.active_rules()}};
  if (const auto start = rules_.start()) status["from"] = report::instant(*start);
  if (rules_.has_begun()) {
    status["to"] = report::instant(rules_.host().now());
    status["jobs"] = jobs_by_status(rules_.host().belief());
  }
  if (intake_) status["intake"] = intake_();
  if (trouble_) {
    status["last_trouble"] = {{"at", trouble_at_},
                              {"action", trouble_->action},
                              {"code", trouble_->error.code},
                              {"message", trouble_->error.message}};
  }
  write_text_file(directory_ / status_name, report::json_text(status, 2) + '\n');
}

std::uint64_t process_start(std::uint64_t process) {
  std::ifstream file{"/proc/" + std::to_string(process) + "/stat"};
  const std::string text{std::istreambuf_iterator<char>{file}, {}};
  // The name of the program may have blanks and brackets; the 20th field behind it is the start.
  const auto name_end = text.rfind(')');
  if (name_end == std::string::npos) return 0;
  std::istringstream fields{text.substr(name_end + 1)};
  std::string field;
  constexpr int place = 20;
  for (int nth = 0; nth < place; ++nth) fields >> field;
  return fields ? std::strtoull(field.c_str(), nullptr, 10) : 0;
}

RecordedShadow read_shadow_record(const std::string& directory) {
  const fs::path root{directory};
  RecordedShadow record;
  record.status = ordered_json::parse(text_of_file(root / status_name), nullptr, false);
  if (!record.status.is_object() || !record.status.contains("reeve_shadow")) {
    if (fs::is_regular_file(root / "events.jsonl")) {
      throw UsageError{
          scenarios::in_quotes((root / status_name).string()) +
              " is missing or damaged; the other files are whole",
          "reeve live shadow CONFIGURATION --from " + (root / "events.jsonl").string()};
    }
    throw UsageError{scenarios::in_quotes(directory) + " is no record of a shadow run",
                     "reeve live shadow CONFIGURATION --out " + directory};
  }
  const fs::path file = root / proposals_name;
  if (!fs::is_regular_file(file)) {
    throw UsageError{scenarios::in_quotes(file.string()) + " is missing",
                     "reeve writes this file; it was removed"};
  }
  std::istringstream lines{text_of_file(file)};
  std::uint64_t number = 0;
  for (std::string line; std::getline(lines, line) && !lines.eof();) {
    ++number;
    try {
      record.proposals.push_back(proposal_in(ordered_json::parse(line)));
    } catch (const std::exception&) {
      throw UsageError{fmt::format("{}:{}: it is no proposal", file.string(), number),
                       "reeve writes this file; it was changed"};
    }
  }
  return record;
}

}  // namespace reeve::app
