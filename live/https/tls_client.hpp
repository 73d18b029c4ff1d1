// TLS by mbedTLS: what all connections share.
#pragma once

#include <mbedtls/ctr_drbg.h>
#include <mbedtls/entropy.h>
#include <mbedtls/ssl.h>
#include <mbedtls/x509_crt.h>

#include <string>

#include "live/https/tls_value.hpp"

namespace reeve::live {

/// TLS 1.2 for a client.  Each certificate must be valid, and issued for the host.  Issuers that
/// may certify some names only are not trusted: mbedTLS does not check them.
class TlsClient {
 public:
  /// `ca_file`: PEM, the certificates that issuers are verified by.  Throws ConnectionFailure:
  /// `untrusted` when it has none, `not_sent` when the machine has no random bytes.
  explicit TlsClient(const std::string& ca_file);

  const mbedtls_ssl_config* config() const { return config_.get(); }

 private:
  TlsValue<mbedtls_entropy_context, mbedtls_entropy_init, mbedtls_entropy_free> entropy_;
  TlsValue<mbedtls_ctr_drbg_context, mbedtls_ctr_drbg_init, mbedtls_ctr_drbg_free> random_;
  TlsValue<mbedtls_x509_crt, mbedtls_x509_crt_init, mbedtls_x509_crt_free> issuers_;
  TlsValue<mbedtls_ssl_config, mbedtls_ssl_config_init, mbedtls_ssl_config_free> config_;
};

}  // namespace reeve::live
