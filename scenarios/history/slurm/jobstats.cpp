// The summary of a job that jobstats of Princeton keeps in Slurm's AdminComment: JSON in gzip in
// base64.  Source: PrincetonUniversity/jobstats, docs/setup/summaries.md.
#include <zlib.h>

#include <boost/archive/iterators/binary_from_base64.hpp>
#include <boost/archive/iterators/transform_width.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "scenarios/history/reading/json_records.hpp"
#include "scenarios/history/slurm/values.hpp"

namespace reeve::scenarios {
namespace {

constexpr std::size_t most_summary_bytes = std::size_t{1} << 20;

std::optional<std::string> from_base64(std::string_view text) {
  using namespace boost::archive::iterators;
  using Bytes = transform_width<binary_from_base64<const char*>, 8, 6>;
  while (text.ends_with('=')) text.remove_suffix(1);
  if (text.size() % 4 == 1) return {};
  std::string bytes(text.size() * 3 / 4, '\0');
  try {
    Bytes from{text.data()};
    for (char& byte : bytes) byte = static_cast<char>(*from++);
  } catch (const dataflow_exception&) {
    return {};
  }
  return bytes;
}

/// One gzip member of at most most_summary_bytes.
std::optional<std::string> gunzip(std::string& packed) {
  z_stream zlib{};
  if (inflateInit2(&zlib, 15 + 16) != Z_OK) return {};
  std::string text(8 * packed.size() + 1024, '\0');
  zlib.next_in = reinterpret_cast<Bytef*>(packed.data());
  zlib.avail_in = static_cast<uInt>(packed.size());
  int state = Z_OK;
  while (state == Z_OK || state == Z_BUF_ERROR) {
    zlib.next_out = reinterpret_cast<Bytef*>(text.data()) + zlib.total_out;
    zlib.avail_out = static_cast<uInt>(text.size() - zlib.total_out);
    state = inflate(&zlib, Z_FINISH);
    if (zlib.avail_out > 0 || text.size() >= most_summary_bytes) break;
    text.resize(2 * text.size());
  }
  text.resize(zlib.total_out);
  inflateEnd(&zlib);
  return state == Z_STREAM_END ? std::optional{std::move(text)} : std::nullopt;
}

}  // namespace

std::optional<double> jobstats_gpu_util(std::string_view comment, bool& readable) {
  constexpr std::string_view mark = "JS1:";
  const std::size_t begin = comment.find(mark);
  if (begin == comment.npos) return {};
  comment.remove_prefix(begin + mark.size());
  comment = comment.substr(0, comment.find_first_of(" ;|\""));
  if (comment == "Short" || comment == "None") return {};
  readable = false;
  auto packed = from_base64(comment);
  if (!packed) return {};
  const auto text = gunzip(*packed);
  if (!text) return {};
  const auto summary = nlohmann::json::parse(*text, nullptr, false);
  const auto* nodes = member(summary, "nodes");
  if (nodes == nullptr || !nodes->is_object()) return {};
  readable = true;
  double sum = 0;
  int gpus = 0;
  for (const auto& node : *nodes) {
    const auto* utilization = member(node, "gpu_utilization");
    if (utilization == nullptr || !utilization->is_object()) continue;
    for (const auto& gpu : *utilization) {
      if (!gpu.is_number()) continue;
      sum += std::clamp(gpu.get<double>(), 0.0, 100.0);
      ++gpus;
    }
  }
  return gpus > 0 ? std::optional{sum / gpus} : std::nullopt;
}

}  // namespace reeve::scenarios
