#include "live/aws/ca_file.hpp"

#include <optional>

namespace reeve::live {

std::string ca_file_of(const Environment& environment) {
  for (const char* variable : {"AWS_CA_BUNDLE", "SSL_CERT_FILE"}) {
    if (const std::optional<std::string> file = environment.get(variable)) return *file;
  }
  for (const char* usual :
       {"/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
        "/etc/ssl/ca-bundle.pem", "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
        "/etc/ssl/cert.pem"}) {
    if (environment.has_file(usual)) return usual;
  }
  return {};
}

}  // namespace reeve::live
