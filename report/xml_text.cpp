#include "report/xml_text.hpp"

namespace reeve::report {

std::string xml_escaped(std::string_view text) {
  std::string out;
  for (const char character : text) {
    switch (character) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\n':
        out += "&#10;";
        break;
      default:
        out += static_cast<unsigned char>(character) < 0x20 ? ' ' : character;
    }
  }
  return out;
}

}  // namespace reeve::report
