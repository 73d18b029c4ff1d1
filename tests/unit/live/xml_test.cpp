#include "live/aws/xml.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace reeve::live {
namespace {

XmlElement parsed(std::string_view text) {
  Result<XmlElement> result = parse_xml(text);
  if (const Failure* failure = failure_of(result)) {
    ADD_FAILURE() << failure->message;
    return {};
  }
  return std::get<XmlElement>(std::move(result));
}

TEST(Xml, ReadsElementsAndText) {
  const XmlElement root = parsed(
      "\xEF\xBB\xBF<?xml version=\"1.0\"?>\n<!-- a > b --><n:A xmlns:n=\"http://x/>\" b='>'>\n"
      "<B>1 &lt; 2 &amp; &#65;&#x1F600;<![CDATA[<&>]]></B ><C/><C x=\"/\"/></n:A>\n<!---->");
  EXPECT_EQ(root.name, "A");
  ASSERT_EQ(root.children.size(), 3U);
  EXPECT_EQ(root.children[0].text, "1 < 2 & A\xF0\x9F\x98\x80<&>");
  EXPECT_EQ(root.find("C"), &root.children[1]);
  EXPECT_EQ(root.child("D"), nullptr);
}

TEST(Xml, BecomesJson) {
  EXPECT_EQ(json_of(parsed("<R><L><member>a</member></L><E/><S><item><K>1</K></item></S>"
                           "<T>1</T><T>2</T><T>3</T>"
                           "<M><entry><key>k</key><value>v</value></entry></M></R>")),
            nlohmann::json::parse(R"({"L": ["a"], "E": "", "S": [{"K": "1"}],
                                      "T": ["1", "2", "3"], "M": {"k": "v"}})"));
}

TEST(Xml, RefusesWhatIsMalformed) {
  for (const std::string_view text : {"",
                                      " ",
                                      "x",
                                      "<",
                                      "<a",
                                      "<a>",
                                      "</a>",
                                      "<a></b>",
                                      "<a/><b/>",
                                      "<a/>x",
                                      "x<a/>",
                                      "<a><b></a></b>",
                                      "<a b=\"></a>",
                                      "< a/>",
                                      "<>",
                                      "</>",
                                      "<a>&x;</a>",
                                      "<a>&</a>",
                                      "<a>&#0;</a>",
                                      "<a>&;</a>",
                                      "<a>&#xD800;</a>",
                                      "<a>&#x110000;</a>",
                                      "<a>&#99999999999;</a>",
                                      "<a>&#;</a>",
                                      "<a>&#x;</a>",
                                      "<a>&#-1;</a>",
                                      "<a><!-- </a>",
                                      "<a><![CDATA[</a>",
                                      "<![CDATA[x]]>",
                                      "<?xml",
                                      "<a:/>",
                                      "<p:a></q:a>",
                                      "<!DOCTYPE a><a/>",
                                      "<!DOCTYPE a [<!ENTITY x \"y\">]><a>&x;</a>",
                                      "<a><!ELEMENT b></a>",
                                      "<a<b/>"}) {
    EXPECT_NE(failure_of(parse_xml(text)), nullptr) << text;
  }
  EXPECT_NE(failure_of(parse_xml({"<a\0/>", 5})), nullptr);
  for (const std::string_view bytes :
       {"\xFF", "\xC3", "\xC0\x80", "\xE0\x80\x80", "\xED\xA0\x80", "\xF0\x80\x80\x80",
        "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\x80", "\xE2\x82"}) {
    EXPECT_NE(failure_of(parse_xml("<a>" + std::string{bytes} + "</a>")), nullptr) << bytes;
  }
  EXPECT_EQ(parsed("<a>\xED\x9F\xBF\xF4\x8F\xBF\xBF</a>").text, "\xED\x9F\xBF\xF4\x8F\xBF\xBF");
}

TEST(Xml, HasBounds) {
  std::string deep;
  for (int i = 0; i < 1'000'000; ++i) deep += "<a>";
  EXPECT_NE(failure_of(parse_xml(deep)), nullptr);
  std::string wide = "<r>";
  for (int i = 0; i < 20; ++i) wide += "<a/>";
  wide += "</r>";
  EXPECT_EQ(failure_of(parse_xml(wide, {.elements = 21})), nullptr);
  EXPECT_NE(failure_of(parse_xml(wide, {.elements = 20})), nullptr);
  EXPECT_NE(failure_of(parse_xml(wide, {.bytes = wide.size() - 1})), nullptr);
  EXPECT_NE(failure_of(parse_xml(wide, {.depth = 1})), nullptr);
}

/// Each prefix of a document, and each document with one byte replaced, ends in a value or in a
/// failure.
TEST(Xml, SurvivesEachCutAndEachWrongByte) {
  const std::string text =
      "<?xml version=\"1.0\"?><R a='b'><!--c--><L><member>a&amp;</member></L><![CDATA[x]]></R>";
  for (std::size_t size = 0; size < text.size(); ++size) {
    EXPECT_NE(failure_of(parse_xml(text.substr(0, size))), nullptr) << size;
  }
  int read = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    for (const char c : std::string_view{"<>/&;!-?[]'\"= \0x\xFF", 17}) {
      std::string changed = text;
      changed[at] = c;
      read += failure_of(parse_xml(changed)) == nullptr ? 1 : 0;
    }
  }
  EXPECT_GT(read, 0);
}

}  // namespace
}  // namespace reeve::live
