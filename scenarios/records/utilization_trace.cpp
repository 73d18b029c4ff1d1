#include "scenarios/records/utilization_trace.hpp"

#include <istream>
#include <string_view>
#include <utility>

#include "scenarios/records/utilization_reading.hpp"
#include "scenarios/text/csv.hpp"
#include "scenarios/text/foreign_file.hpp"
#include "scenarios/text/inflater.hpp"
#include "scenarios/text/source.hpp"

namespace reeve::scenarios {
namespace {

constexpr std::size_t head_bytes = std::size_t{64} << 10;

/// JSON begins with a brace, a log names `timestamp` or begins with a date.
UtilFormat format_of(std::string_view head) {
  if (head.starts_with("\xEF\xBB\xBF")) head.remove_prefix(3);
  while (!head.empty() && (head.front() == '\n' || head.front() == '\r' || head.front() == ' ')) {
    head.remove_prefix(1);
  }
  if (head.starts_with('{')) return UtilFormat::cloudwatch;
  const std::string_view line = head.substr(0, head.find('\n'));
  const bool dated = line.size() > 4 && line[4] == '/';
  const bool named =
      line.find("timestamp") != line.npos || line.find("utilization.gpu") != line.npos;
  return dated || named ? UtilFormat::nvidia_smi : UtilFormat::csv;
}

Document whole_document(const std::string& name, Inflater& bytes, std::string text,
                        std::size_t limit) {
  for (std::size_t used = text.size();; used = text.size()) {
    text.resize(used + head_bytes);
    const std::size_t got = bytes.read(text.data() + used, head_bytes);
    text.resize(used + got);
    if (got == 0 || text.size() > limit) break;
  }
  return Document::parse(SourceFile::from_text(name, std::move(text), limit));
}

}  // namespace

UtilFile read_utilization(const std::string& name, std::unique_ptr<std::istream> input,
                          const UtilOptions& options) {
  Inflater bytes{name, std::move(input), options.limits.decompressed_bytes};
  std::string head(head_bytes, '\0');
  head.resize(bytes.read(head.data(), head.size()));
  const UtilFormat format = options.format.value_or(format_of(head));
  if (format == UtilFormat::cloudwatch) {
    return read_util_answer(
        whole_document(name, bytes, std::move(head), SourceFile::scenario_limit), options);
  }
  LineScanner lines{name, std::move(bytes), options.limits.record_bytes, std::move(head)};
  try {
    return format == UtilFormat::csv ? read_util_csv(lines, options)
                                     : read_util_log(lines, options);
  } catch (const InputError&) {
    lines.check_rest();  // damaged gzip data reads as nonsense: then the damage is the message
    throw;
  }
}

UtilFile read_utilization(const std::filesystem::path& path, const UtilOptions& options) {
  return read_own(path, FileUse::utilization,
                  [&] { return read_utilization(path.string(), open_file(path), options); });
}

}  // namespace reeve::scenarios
