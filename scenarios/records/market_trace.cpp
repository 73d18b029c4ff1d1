#include "scenarios/records/market_trace.hpp"

#include <fmt/format.h>

#include <array>
#include <istream>
#include <utility>

#include "scenarios/records/market_reading.hpp"
#include "scenarios/text/source.hpp"

namespace reeve::scenarios {
namespace {

using Input = std::unique_ptr<std::istream>;

// Damaged gzip data reads as nonsense before its checksum is reached: then the damage is the
// message, not the nonsense.
template <class Options>
MarketTrace read_csv(std::string name, Input input, const Options& options,
                     MarketTrace (*read)(CsvReader&, const Options&)) {
  Inflater bytes{name, std::move(input), options.limits.decompressed_bytes};
  CsvReader csv{std::move(name), std::move(bytes), options.limits.record_bytes};
  try {
    return read(csv, options);
  } catch (const InputError&) {
    csv.check_rest();
    throw;
  }
}

template <class Options>
MarketTrace read_json(std::string name, Input input, const Options& options,
                      MarketTrace (*read)(const Document&, const Options&)) {
  return read(read_document(std::move(name), std::move(input), options.limits), options);
}

/// A file that is not JSON was not meant to be JSON, whatever the options say.
Diagnostic about_format(Diagnostic found, const OfferOptions& options) {
  const bool csv = found.position.line == 1 && found.excerpt && !found.excerpt->cut_before &&
                   found.excerpt->bytes.find_first_of("{[") == std::string::npos;
  if (!csv) return found;
  std::string names;
  std::string_view stated;
  for (const auto& [name, format] : offer_formats()) {
    if (format == options.format) stated = name;
    names += fmt::format("{}\"{}\"", names.empty() ? "" : ", ", name);
  }
  found.code = "E0101";
  found.message = "the file is not JSON";
  found.label = fmt::format("read as \"{}\" (JSON), {}", stated,
                            options.assumed ? "the default" : "as stated");
  found.help = fmt::format("set its {}\"format\" (import: --format) to one of {}",
                           options.assumed ? "" : "own ", names);
  return found;
}

/// As JSON, which it may not be at all.
MarketTrace read_json_offers(const std::string& name, Input input, const OfferOptions& options,
                             MarketTrace (*read)(const Document&, const OfferOptions&)) {
  try {
    return read_json(name, std::move(input), options, read);
  } catch (const InputError& error) {
    throw InputError{about_format(error.diagnostics().front(), options)};
  }
}

MarketTrace read_format(const std::string& name, Input input, const OfferOptions& options) {
  switch (options.format) {
    case OfferFormat::spot_traces:
    case OfferFormat::skynomad:
      return read_json_offers(name, std::move(input), options, read_tick_offers);
    case OfferFormat::preempted_bits:
      return read_json_offers(name, std::move(input), options, read_preempted_bits);
    case OfferFormat::steps:
      return read_csv(name, std::move(input), options, read_step_offers);
    case OfferFormat::date_availability:
      return read_csv(name, std::move(input), options, read_sampled_offers);
    case OfferFormat::node_log:
      return read_csv(name, std::move(input), options, read_node_log);
    case OfferFormat::count_log:
      return read_csv(name, std::move(input), options, read_count_log);
  }
  return {};
}

/// As CSV, which a file that begins with a brace was never meant to be.
MarketTrace read_price_csv(const std::string& name, Input input, const PriceOptions& options) {
  if (const int first = input->peek(); first == '{' || first == '[') {
    throw InputError{
        about_trace(name, "E0310", "the file is JSON, read as \"aws-spot-history\" (CSV)",
                    "set its \"format\" to one of \"describe-spot-price-history\", \"per-tick\"")};
  }
  return read_csv(name, std::move(input), options, read_price_table);
}

MarketTrace read_format(const std::string& name, Input input, const PriceOptions& options) {
  switch (options.format) {
    case PriceFormat::aws_spot_history:
      return read_price_csv(name, std::move(input), options);
    case PriceFormat::describe:
      return read_json(name, std::move(input), options, read_price_answer);
    case PriceFormat::per_tick:
      return read_json(name, std::move(input), options, read_tick_prices);
  }
  return {};
}

template <class Options>
MarketTrace read_whole(const std::string& name, Input input, const Options& options) {
  MarketTrace trace = read_format(name, std::move(input), options);
  finish(name, options.span, trace);
  return trace;
}

}  // namespace

std::span<const std::pair<std::string_view, OfferFormat>> offer_formats() {
  using enum OfferFormat;
  static constexpr std::array<std::pair<std::string_view, OfferFormat>, 7> formats{
      {{"spot-traces", spot_traces},
       {"preempted-bits", preempted_bits},
       {"skynomad", skynomad},
       {"csv", steps},
       {"date-availability", date_availability},
       {"node-log", node_log},
       {"count-log", count_log}}};
  return formats;
}

std::span<const std::pair<std::string_view, Convention>> conventions() {
  static constexpr std::array<std::pair<std::string_view, Convention>, 2> both{
      {{"up", Convention::up}, {"preempted", Convention::preempted}}};
  return both;
}

MarketTrace read_offers(const std::filesystem::path& path, const OfferOptions& options) {
  return read_whole(path.string(), open_file(path), options);
}

MarketTrace read_offers(const std::string& name, Input input, const OfferOptions& options) {
  return read_whole(name, std::move(input), options);
}

MarketTrace read_prices(const std::filesystem::path& path, const PriceOptions& options) {
  return read_whole(path.string(), open_file(path), options);
}

MarketTrace read_prices(const std::string& name, Input input, const PriceOptions& options) {
  return read_whole(name, std::move(input), options);
}

}  // namespace reeve::scenarios
