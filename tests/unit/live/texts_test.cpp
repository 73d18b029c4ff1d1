#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <type_traits>

#include "live/aws/arn.hpp"
#include "live/aws/query_form.hpp"
#include "live/aws/secret.hpp"
#include "live/aws/timestamps.hpp"
#include "live/aws/uri.hpp"

namespace reeve::live {
namespace {

template <class Value>
concept Printable = requires(std::ostream& out, const Value& value) {
  out << value;
};

TEST(Arn, HasSixParts) {
  const std::string_view arn = "arn:aws:sns:us-east-1:111122223333:a:b";
  EXPECT_EQ(part_of_arn(arn, 0), "arn");
  EXPECT_EQ(part_of_arn(arn, 3), "us-east-1");
  EXPECT_EQ(part_of_arn(arn, 5), "a:b");
  EXPECT_EQ(part_of_arn("arn:aws", 1), "aws");
  EXPECT_EQ(part_of_arn("arn:aws", 2), "");
  EXPECT_EQ(part_of_arn("", 3), "");
}

TEST(SecretText, IsNeverPrinted) {
  static_assert(!Printable<Secret>);
  static_assert(!std::is_default_constructible_v<fmt::formatter<Secret>>);
  static_assert(!std::is_convertible_v<Secret, std::string>);
}

TEST(SecretText, WipesWhatItTakesOver) {
  std::string text = "short";
  const char* place = text.data();
  const Secret secret{std::move(text)};
  EXPECT_EQ(secret.reveal(), "short");
  EXPECT_EQ(std::string_view(place, 5), std::string_view("\0\0\0\0\0", 5));
  Secret from{std::string_view{"other"}};
  Secret to = std::move(from);
  EXPECT_TRUE(from.empty());  // NOLINT: it states what a move leaves
  from = to;
  EXPECT_TRUE(from == to);
  EXPECT_FALSE(to == secret);
  to = Secret{};
  EXPECT_TRUE(to.empty());
}

TEST(Uri, EncodesAndDecodes) {
  EXPECT_EQ(uri_encode("a b/~%\xC3\xA9+", "/"), "a%20b/~%25%C3%A9%2B");
  EXPECT_EQ(form_encode("a b+*"), "a+b%2B%2A");
  EXPECT_EQ(uri_decode("a%20b%2"), "a b%2");
  EXPECT_EQ(uri_decode("%zz%41%"), "%zzA%");
  EXPECT_EQ(parse_query("a=1&&b&c=%3D=&=d"),
            (std::vector<Field>{{"a", "1"}, {"b", ""}, {"c", "=="}, {"", "d"}}));
}

TEST(Uri, ParsesUrls) {
  const auto url = parse_url("HTTPS://Host.Example:8443/a/b?c=d");
  ASSERT_TRUE(url);
  EXPECT_TRUE(url->tls);
  EXPECT_EQ(url->host, "host.example");
  EXPECT_EQ(url->port, 8443);
  EXPECT_EQ(url->path, "/a/b");
  EXPECT_EQ(url->query, "c=d");
  const auto address = parse_url("http://[fd00:ec2::23]:80");
  ASSERT_TRUE(address);
  EXPECT_EQ(address->host, "[fd00:ec2::23]");
  EXPECT_EQ(address->port, 80);
  for (const char* wrong :
       {"", "http://", "host", "ftp://host", "http://user@host", "http://a:b@host", "http://host:0",
        "http://host:65536", "http://host:", "http://host:1x", "http://ho st", "http://host/a b",
        "http://host/#a", "http://host/\r\nA: b", "http://[::1", "http://[x]", "http://-h"}) {
    EXPECT_FALSE(parse_url(wrong)) << wrong;
  }
}

TEST(Timestamps, OfEachForm) {
  const policy::Instant at = *parse_amz_date("20260112T100203Z");
  EXPECT_EQ(amz_date(at), "20260112T100203Z");
  for (const char* text : {"2026-01-12T10:02:03Z", "2026-01-12T10:02:03.Z",
                           "2026-01-12T11:02:03+01:00", "2026-01-12T05:32:03-0430"}) {
    EXPECT_EQ(parse_iso_date(text), at) << text;
  }
  EXPECT_EQ(parse_iso_date("2026-01-12T10:02:03.12345678999Z"),
            at + std::chrono::nanoseconds{123'456'789});
  EXPECT_EQ(parse_http_date("Mon, 12 Jan 2026 10:02:03 GMT"), at);
  EXPECT_EQ(http_date(at), "Mon, 12 Jan 2026 10:02:03 GMT");
  for (const char* wrong : {"", "2026", "2026-13-12T10:02:03Z", "2026-02-30T10:02:03Z",
                            "2026-01-12T24:02:03Z", "2026-01-12T10:02:03", "9999-01-01T00:00:00Z",
                            "2026-01-12T10:02:03Zx", "2026-01-12T10:02:03+1"}) {
    EXPECT_FALSE(parse_iso_date(wrong)) << wrong;
  }
  EXPECT_FALSE(parse_http_date("Monday, 12-Jan-26 10:02:03 GMT"));
  EXPECT_FALSE(parse_http_date("Mon, 12 Foo 2026 10:02:03 GMT"));
  EXPECT_FALSE(parse_amz_date("20260112T100203"));
}

TEST(QueryForm, FlattensNestedParameters) {
  const auto parameters = nlohmann::json::parse(
      R"({"AlarmName": "a b&", "Dimensions": [{"Name": "n", "Value": "v"}, {"Name": "m"}],
          "Empty": [], "Flag": true, "Nothing": null, "Number": 3, "Threshold": 0.5,
          "Inner": {"Deep": ["x"]}})");
  EXPECT_EQ(query_form("PutMetricAlarm", "2010-08-01", parameters, Protocol::query),
            "Action=PutMetricAlarm&Version=2010-08-01&AlarmName=a+b%26"
            "&Dimensions.member.1.Name=n&Dimensions.member.1.Value=v&Dimensions.member.2.Name=m"
            "&Empty=&Flag=true&Inner.Deep.member.1=x&Number=3&Threshold=0.5");
  EXPECT_EQ(form_fields(parameters, Protocol::ec2).at(1), (Field{"Dimensions.1.Name", "n"}));
  EXPECT_EQ(form_fields({{"Empty", nlohmann::json::array()}}, Protocol::ec2).size(), 0U);
}

}  // namespace
}  // namespace reeve::live
