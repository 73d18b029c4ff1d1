// Reads CSV (RFC 4180) back, strictly and without any code of the writer.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace reeve::report {

using CsvRows = std::vector<std::vector<std::string>>;

/// Throws std::runtime_error where a strict reader would stumble.
inline CsvRows parse_csv(std::string_view text) {
  CsvRows rows;
  std::size_t at = 0;
  const auto next = [&] { return at < text.size() ? text[at] : '\0'; };
  while (at < text.size()) {
    rows.emplace_back();
    for (bool more = true; more;) {
      std::string cell;
      if (next() == '"') {
        for (++at;; ++at) {
          if (at >= text.size()) throw std::runtime_error{"quote not closed"};
          if (text[at] != '"') {
            cell += text[at];
          } else if (at + 1 < text.size() && text[at + 1] == '"') {
            cell += text[at++];
          } else {
            break;
          }
        }
        ++at;
      } else {
        while (at < text.size() && text[at] != ',' && text[at] != '\n') {
          if (text[at] == '"' || text[at] == '\r') throw std::runtime_error{"needs quotes"};
          cell += text[at++];
        }
      }
      rows.back().push_back(std::move(cell));
      more = next() == ',';
      if (!more && next() != '\n') throw std::runtime_error{"row does not end"};
      ++at;
    }
  }
  return rows;
}

}  // namespace reeve::report
