// Any bytes: read_journal refuses them or gives entries that print back to the same bytes.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>

#include "host/journal.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace reeve::host;
  const std::string text(data, data + size);
  // Most inputs are garbage from the first byte: put the header there, so that lines are reached.
  for (const std::string& journal : {text, std::string{journal_header} + '\n' + text}) {
    std::istringstream stream{journal};
    try {
      const JournalText read = read_journal(stream);
      std::string again;
      if (read.bytes > 0) (again += journal_header) += '\n';
      for (const Entry& entry : read.entries) (again += print(entry)) += '\n';
      if (again != journal.substr(0, read.bytes)) std::abort();
      if (!read.cut && read.bytes != journal.size()) std::abort();
    } catch (const JournalError&) {
    }
  }
  return 0;
}
