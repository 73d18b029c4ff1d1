#include "report/hash_chain.hpp"

#include <openssl/evp.h>

#include <array>
#include <stdexcept>
#include <string_view>

namespace reeve::report {

std::string sha256(std::string_view bytes) {
  std::array<unsigned char, 32> digest{};
  unsigned int length = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), &length, EVP_sha256(), nullptr) != 1 ||
      length != digest.size()) {
    throw std::runtime_error{"SHA-256 is not available"};
  }
  std::string hex;
  hex.reserve(2 * digest.size());
  for (const unsigned char byte : digest) {
    constexpr std::string_view digits = "0123456789abcdef";
    hex += digits[byte >> 4];
    hex += digits[byte & 15];
  }
  return hex;
}

void HashChain::append(std::span<const std::string> cells) {
  std::string bytes;
  for (const std::string& cell : cells) {
    bytes += std::to_string(cell.size());
    bytes += ':';
    bytes += cell;
  }
  head_ = sha256(bytes);
}

}  // namespace reeve::report
