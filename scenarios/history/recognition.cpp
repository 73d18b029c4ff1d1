#include "scenarios/history/recognition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <sstream>

#include "scenarios/history/aws/kinds.hpp"
#include "scenarios/history/bills/kinds.hpp"
#include "scenarios/history/kubernetes/kinds.hpp"
#include "scenarios/history/metrics/kinds.hpp"
#include "scenarios/history/readers.hpp"
#include "scenarios/history/slurm/kinds.hpp"
#include "scenarios/history/trackers/kinds.hpp"
#include "scenarios/records/market_reading.hpp"
#include "scenarios/text/foreign_file.hpp"
#include "scenarios/text/inflater.hpp"
#include "scenarios/text/source.hpp"

namespace reeve::scenarios {
namespace {

constexpr std::array readers = std::to_array<HistoryReader>({
    sagemaker_reader,
    slurm_json_reader,
    cloudwatch_reader,
    spot_prices_reader,
    cloudtrail_reader,
    eventbridge_reader,
    aws_batch_reader,
    kubernetes_reader,
    prometheus_reader,
    slurm_reader,
    cur_reader,
    focus_reader,
    wandb_reader,
    mlflow_reader,
    nvidia_smi_reader,
    dcgmi_reader,
});

/// The first reader that knows a file which begins so; null: none.
const HistoryReader* recognize(std::string_view head) {
  const auto found = std::find_if(readers.begin(), readers.end(),
                                  [&](const auto& reader) { return reader.recognizes(head); });
  return found == readers.end() ? nullptr : &*found;
}

[[noreturn]] void refuse(std::string_view file, std::string_view code, std::string message,
                         std::string help) {
  throw InputError{about_trace(file, code, std::move(message), std::move(help))};
}

/// Such files are told apart, since a folder of exports may have one beside them.
void refuse_tar(std::string_view file, std::string_view head) {
  constexpr std::size_t magic = 257;
  if (head.size() < magic || !head.substr(magic).starts_with("ustar")) return;
  refuse(file, "E0418", "a tar archive",
         fmt::format("mkdir dump && tar -xf {} -C dump, then reeve import history dump",
                     file == standard_input ? "-" : file));
}

/// How a packed file begins, and what unpacks it: a command before its name, and what follows.
struct PackedForm {
  std::string_view begins;
  std::string_view what, unpack, then;
};
constexpr std::string_view into_a_folder = ", then reeve import history dump";
constexpr std::string_view beside_it = ", then import what it holds";
constexpr auto packed_forms = std::to_array<PackedForm>({
    {"PK\x03\x04", "a zip archive", "unzip -d dump", into_a_folder},
    {"7z\xBC\xAF\x27\x1C", "a 7z archive", "7z x -odump", into_a_folder},
    {"\x28\xB5\x2F\xFD", "packed by zstd", "zstd -d", beside_it},
    {{"\xFD"
      "7zXZ\0",
      6},
     "packed by xz",
     "xz -dk",
     beside_it},
    {"BZh", "packed by bzip2", "bzip2 -dk", beside_it},
});

/// What no reader can read, and what to do with it.
void refuse_packed(std::string_view file, std::string_view head) {
  refuse_tar(file, head);
  const auto packed =
      std::find_if(packed_forms.begin(), packed_forms.end(),
                   [&](const PackedForm& form) { return head.starts_with(form.begins); });
  if (packed != packed_forms.end()) {
    refuse(file, "E0391", std::string{packed->what},
           fmt::format("{} {}{}", packed->unpack, file == standard_input ? "FILE" : file,
                       packed->then));
  }
  if (head.starts_with("PAR1")) {
    refuse(file, "E0392", "a Parquet file",
           fmt::format("duckdb -c \"COPY (SELECT * FROM '{0}') TO '{0}.csv'\"", file));
  }
  if (head.find("\"status_code\"") != head.npos && head.find("\"data\"") != head.npos &&
      head.find("\"__class__\"") != head.npos) {
    refuse(file, "E0396", "a recording of a test tool (placebo)",
           "write the value of \"data\" to a file of its own");
  }
}

}  // namespace

std::string text_head(const std::string& raw) {
  std::string head(head_bytes, '\0');
  std::size_t have = 0;
  try {
    Inflater inflater{"", std::make_unique<std::istringstream>(raw), 2 * head_bytes};
    while (have < head.size()) {
      const std::size_t more = inflater.read(head.data() + have, head.size() - have);
      if (more == 0) break;
      have += more;
    }
  } catch (const InputError&) {  // gzip that is cut here; the reader tells what is damaged
  }
  head.resize(have);
  return head;
}

bool is_recognized(std::string_view head) {
  return recognize(head) != nullptr;
}

bool is_empty_reply(std::string_view head) {
  constexpr std::size_t longest = 8192;
  if (head.size() > longest) return false;
  const auto reply = nlohmann::json::parse(head, nullptr, false);
  if (reply.is_array()) return reply.empty();
  bool has_list = false;
  if (!reply.is_object()) return false;
  for (auto member = reply.begin(); member != reply.end(); ++member) {
    if (member->is_array() && !member->empty()) return false;
    has_list |= member->is_array();
  }
  return has_list;
}

std::span<const HistoryReader> history_readers() {
  return readers;
}

const HistoryReader* history_reader(std::string_view name) {
  const auto found = std::find_if(readers.begin(), readers.end(),
                                  [&](const auto& reader) { return reader.name == name; });
  return found == readers.end() ? nullptr : &*found;
}

const HistoryReader& reader_of(std::string_view file, std::string_view head) {
  refuse_packed(file, head);
  if (const auto* reader = recognize(head)) return *reader;
  const auto foreign = foreign_file(head, FileUse::jobs);
  refuse(file, "E0390",
         foreign ? fmt::format("this is {}, not an export that reeve joins", foreign->what)
                 : std::string{"not an export that reeve knows"},
         foreign ? std::string{foreign->help}
                 : "--as KIND reads it as a kind of file; reeve help import lists the kinds");
}

void refuse_other_kind(std::string_view file, std::string_view head, std::string_view asked,
                       std::string_view asked_file) {
  refuse_tar(file, head);
  const HistoryReader* reader = history_reader(asked);
  if (reader != nullptr && reader->recognizes(head)) return;
  if (reader != nullptr) refuse_packed(file, head);  // else foreign_file knows them
  if (const auto* other = recognize(head)) {
    refuse(file, "E0417", fmt::format("this is {}, not {}", other->one_file, asked_file),
           fmt::format("reeve import {} {}", other->name, file == standard_input ? "-" : file));
  }
  if (const auto foreign = foreign_file(head, FileUse::scenario, asked)) {
    refuse(file, "E0417", fmt::format("this is {}, not {}", foreign->what, asked_file),
           std::string{foreign->help});
  }
}

void refuse_other_file(const std::string& file, std::string_view asked,
                       std::string_view asked_file) {
  std::string raw(head_bytes, '\0');
  try {
    const auto bytes = open_file(file);
    bytes->read(raw.data(), static_cast<std::streamsize>(raw.size()));
    raw.resize(static_cast<std::size_t>(bytes->gcount()));
  } catch (const InputError&) {
    return;  // the reader has said what is wrong
  }
  refuse_other_kind(file, text_head(raw), asked, asked_file);
}

}  // namespace reeve::scenarios
