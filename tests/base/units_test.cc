#include "base/units.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/error.h"

namespace pairbench {
namespace {

using std::chrono::nanoseconds;
using namespace std::chrono_literals;
using Sizes = std::vector<std::uint64_t>;

// The usage error that `parse` fails with; a test failure when it does not.
template <class Parse>
Failure refusal_of(const Parse& parse) {
  try {
    parse();
  } catch (const Error& error) {
    EXPECT_EQ(error.failure().status, ExitStatus::usage);
    return error.failure();
  }
  ADD_FAILURE() << "nothing was refused";
  return {};
}

TEST(ParseSize, TakesIntegersAndBinarySuffixes) {
  EXPECT_EQ(parse_size("0"), 0u);
  EXPECT_EQ(parse_size("64"), 64u);
  EXPECT_EQ(parse_size("007"), 7u);
  EXPECT_EQ(parse_size("9223372036854775807"), (std::uint64_t{1} << 63) - 1);
  for (const char* text : {"64K", "64k", "64KiB", "64kiB"}) EXPECT_EQ(parse_size(text), 65536u);
  for (const char* text : {"3M", "3m", "3MiB", "3miB"}) EXPECT_EQ(parse_size(text), 3u << 20);
  for (const char* text : {"2G", "2g", "2GiB", "2giB"}) EXPECT_EQ(parse_size(text), 2ull << 30);
  EXPECT_EQ(parse_size("8589934591G"), 8589934591ull << 30);
}

constexpr const char* kNotSizes[] = {"",
                                     " ",
                                     "64kB",
                                     "64KB",
                                     "1.5M",
                                     "0x10",
                                     "1e3",
                                     "-5",
                                     "+5",
                                     " 8",
                                     "8 ",
                                     "8 K",
                                     "8x",
                                     "8-16",
                                     "8..16",
                                     "K",
                                     "KiB",
                                     "8Ki",
                                     "8KIB",
                                     "8KK",
                                     "8kib",
                                     "8B",
                                     "16384P",
                                     "1T",
                                     "8\n",
                                     "18446744073709551616",
                                     "18446744073709551615",
                                     "9223372036854775808",
                                     "8589934592G",
                                     "9007199254740992K",
                                     "99999999999999999999999999",
                                     "--json",
                                     "auto"};

TEST(ParseSize, RefusesTheRestAndNamesTheText) {
  for (const std::string text : kNotSizes) {
    SCOPED_TRACE(text);
    const Failure failure = refusal_of([&] { parse_size(text); });
    EXPECT_NE(failure.message.find("'" + text + "'"), std::string::npos) << failure.message;
    EXPECT_NE(failure.message.find("K, M or G"), std::string::npos) << failure.message;
    refusal_of([&] { parse_size_list(text); });
  }
}

TEST(ParseSize, RefusesAnEmbeddedZero) {
  refusal_of([] { parse_size(std::string_view("8\0K", 3)); });
}

TEST(ParseSizeList, TakesSingleSizesAndCommas) {
  EXPECT_EQ(parse_size_list("64"), Sizes{64});
  EXPECT_EQ(parse_size_list("64,4K,1M"), (Sizes{64, 4096, 1 << 20}));
}

TEST(ParseSizeList, SortsAndMergesDuplicates) {
  EXPECT_EQ(parse_size_list("1M,64,1024K,64"), (Sizes{64, 1 << 20}));
  EXPECT_EQ(parse_size_list("0:4:+2,1:8:x2,3"), (Sizes{0, 1, 2, 3, 4, 8}));
}

TEST(ParseSizeList, GeometricRangesEndWithinTheBound) {
  EXPECT_EQ(parse_size_list("1:16:x2"), (Sizes{1, 2, 4, 8, 16}));
  EXPECT_EQ(parse_size_list("1:17:x2"), (Sizes{1, 2, 4, 8, 16}));
  EXPECT_EQ(parse_size_list("3:100:x10"), (Sizes{3, 30}));
  EXPECT_EQ(parse_size_list("8:8:x2"), Sizes{8});
  EXPECT_EQ(parse_size_list("1:1M:x2").size(), 21u);
  EXPECT_EQ(parse_size_list("1:1M:x1024"), (Sizes{1, 1024, 1 << 20}));
}

TEST(ParseSizeList, GeometricRangesFromZeroGoOnFromOne) {
  EXPECT_EQ(parse_size_list("0:9:x3"), (Sizes{0, 1, 3, 9}));
  EXPECT_EQ(parse_size_list("0:1:x2"), (Sizes{0, 1}));
  EXPECT_EQ(parse_size_list("0:0:x2"), Sizes{0});
}

TEST(ParseSizeList, ArithmeticRangesEndWithinTheBound) {
  EXPECT_EQ(parse_size_list("0:64K:+16K"), (Sizes{0, 16384, 32768, 49152, 65536}));
  EXPECT_EQ(parse_size_list("10:19:+4"), (Sizes{10, 14, 18}));
  EXPECT_EQ(parse_size_list("5:5:+1"), Sizes{5});
}

TEST(ParseSizeList, RangesDoNotOverflow) {
  const std::uint64_t most = (std::uint64_t{1} << 63) - 1;
  EXPECT_EQ(parse_size_list("1:9223372036854775807:x2").size(), 63u);
  EXPECT_EQ(parse_size_list("9223372036854775806:9223372036854775807:+1"), (Sizes{most - 1, most}));
  EXPECT_EQ(parse_size_list("9223372036854775807:9223372036854775807:x9223372036854775807"),
            Sizes{most});
}

TEST(ParseSizeList, HoldsAtMostItsLimit) {
  EXPECT_EQ(parse_size_list("1:4096:+1").size(), kMaxSizes);
  EXPECT_EQ(parse_size_list("1:4096:+1,1:4096:+1").size(), kMaxSizes);
  const Failure failure = refusal_of([] { parse_size_list("0:4096:+1"); });
  EXPECT_NE(failure.message.find("more than 4096"), std::string::npos) << failure.message;
  refusal_of([] { parse_size_list("0:9223372036854775807:+1"); });
}

constexpr const char* kNotLists[] = {
    "8,,16",  ",8",     "8,",     ",",       "8, 16",     "8;16",   "1:8",     "1:8:",   "1:8:2",
    "1:8:x",  "1:8:x0", "1:8:x1", "1:8:x-2", "1:8:+",     "1:8:+0", "1:8:+-1", "1:8:X2", "1:8:x2K",
    "8:1:x2", "8:1:+1", ":8:x2",  "1::x2",   "1:8:x2:x2", "1:8:*2", "8x2"};

TEST(ParseSizeList, RefusesTheRest) {
  for (const std::string text : kNotLists) {
    SCOPED_TRACE(text);
    refusal_of([&] { parse_size_list(text); });
  }
}

TEST(ParseDuration, TakesDecimalsAndUnits) {
  EXPECT_EQ(parse_duration("1"), 1s);
  EXPECT_EQ(parse_duration("1.5"), 1500ms);
  EXPECT_EQ(parse_duration("50ms"), 50ms);
  EXPECT_EQ(parse_duration("7ns"), 7ns);
  EXPECT_EQ(parse_duration("250us"), 250us);
  EXPECT_EQ(parse_duration("10s"), 10s);
  EXPECT_EQ(parse_duration("2m"), 2min);
  EXPECT_EQ(parse_duration("0.5h"), 30min);
  EXPECT_EQ(parse_duration("0.000000001"), 1ns);
  EXPECT_EQ(parse_duration("1.25us"), 1250ns);
  EXPECT_EQ(parse_duration("1.500000000000000"), 1500ms);
  EXPECT_EQ(parse_duration("3000000"), 3000000s);
  EXPECT_EQ(parse_duration("9223372036854775807ns"), nanoseconds::max());
  EXPECT_EQ(parse_duration("9223372036.854775807"), nanoseconds::max());
}

constexpr const char* kNotDurations[] = {"",
                                         "s",
                                         "0",
                                         "0s",
                                         "0.0",
                                         "-1",
                                         "+1",
                                         " 1",
                                         "1 s",
                                         "1 ",
                                         "1.",
                                         ".5",
                                         "1..5",
                                         "1.5.5",
                                         "1,5",
                                         "1e3",
                                         "0x1",
                                         "inf",
                                         "nan",
                                         "5S",
                                         "5MS",
                                         "5M",
                                         "5min",
                                         "5d",
                                         "0.1ns",
                                         "1.5ns",
                                         "0.0000000001",
                                         "9223372036.854775808",
                                         "9223372036854775808ns",
                                         "153722868m",
                                         "2562048h",
                                         "18446744073709551616"};

TEST(ParseDuration, RefusesTheRestAndNamesTheText) {
  for (const std::string text : kNotDurations) {
    SCOPED_TRACE(text);
    const Failure failure = refusal_of([&] { parse_duration(text); });
    EXPECT_NE(failure.message.find("'" + text + "'"), std::string::npos) << failure.message;
  }
}

TEST(ParseCount, TakesWholeNumbersWithinTheBounds) {
  EXPECT_EQ(parse_count("0", 0, 65535), 0u);
  EXPECT_EQ(parse_count("65535", 0, 65535), 65535u);
  EXPECT_EQ(parse_count("4294967306", 1, UINT64_MAX), 4294967306u);
  EXPECT_EQ(parse_count("18446744073709551615", 1, UINT64_MAX), UINT64_MAX);
}

TEST(ParseCount, RefusesTheRestAndNamesTheBounds) {
  for (const char* text : {"", "-1", "+1", "1.5", "abc", "--json", "65536", "99999", "http", "1K",
                           "0x1", " 1", "1 ", "18446744073709551616"}) {
    const Failure failure = refusal_of([&] { parse_count(text, 0, 65535); });
    EXPECT_NE(failure.message.find("from 0 to 65535"), std::string::npos) << failure.message;
  }
  refusal_of([] { parse_count("0", 1, 10); });
}

TEST(FormatSize, IsExact) {
  EXPECT_EQ(format_size(0), "0");
  EXPECT_EQ(format_size(8), "8");
  EXPECT_EQ(format_size(1000), "1000");
  EXPECT_EQ(format_size(1023), "1023");
  EXPECT_EQ(format_size(4096), "4K");
  EXPECT_EQ(format_size(4097), "4097");
  EXPECT_EQ(format_size(1 << 20), "1M");
  EXPECT_EQ(format_size((1 << 20) + 1024), "1025K");
  EXPECT_EQ(format_size(std::uint64_t{1} << 40), "1024G");
  EXPECT_EQ(format_size(UINT64_MAX), "18446744073709551615");
}

TEST(FormatSize, IsReadBackAsWritten) {
  for (int bit = 0; bit < 63; ++bit) {
    const std::uint64_t size = std::uint64_t{1} << bit;
    for (const std::uint64_t value : {size - 1, size, size + 1, size * 3 / 2}) {
      EXPECT_EQ(parse_size(format_size(value)), value);
    }
  }
}

TEST(FormatDuration, IsShort) {
  EXPECT_EQ(format_duration(0ns), "0s");
  EXPECT_EQ(format_duration(1ns), "1ns");
  EXPECT_EQ(format_duration(999ns), "999ns");
  EXPECT_EQ(format_duration(1234ns), "1.234us");
  EXPECT_EQ(format_duration(250us), "250us");
  EXPECT_EQ(format_duration(50ms), "50ms");
  EXPECT_EQ(format_duration(1500ms), "1.5s");
  EXPECT_EQ(format_duration(10s), "10s");
  EXPECT_EQ(format_duration(59s), "59s");
  EXPECT_EQ(format_duration(60s), "1m");
  EXPECT_EQ(format_duration(90s), "90s");
  EXPECT_EQ(format_duration(90min), "90m");
  EXPECT_EQ(format_duration(2h), "2h");
  EXPECT_EQ(format_duration(-50ms), "-50ms");
}

TEST(FormatDuration, RoundsIntoTheNextUnit) {
  EXPECT_EQ(format_duration(999'999'499ns), "999.999ms");
  EXPECT_EQ(format_duration(999'999'500ns), "1s");
  EXPECT_EQ(format_duration(999'999ns), "999.999us");
}

TEST(FormatDuration, BearsTheLimits) {
  EXPECT_EQ(format_duration(nanoseconds::max()), "9223372036.855s");
  EXPECT_EQ(format_duration(nanoseconds::min()), "-9223372036.855s");
}

TEST(FormatDuration, IsReadBackAsWritten) {
  for (const nanoseconds d :
       std::initializer_list<nanoseconds>{1ns, 999ns, 1us, 1500us, 20ms, 1s, 1001ms, 75s, 3h}) {
    EXPECT_EQ(parse_duration(format_duration(d)), d);
  }
}

TEST(FormatFigure, HasSoManySignificantDigits) {
  EXPECT_EQ(format_figure(7.231), "7.23");
  EXPECT_EQ(format_figure(28.31), "28.3");
  EXPECT_EQ(format_figure(7210.4), "7210");
  EXPECT_EQ(format_figure(0.0123456), "0.0123");
  EXPECT_EQ(format_figure(0.5), "0.500");
  EXPECT_EQ(format_figure(-7.231), "-7.23");
  EXPECT_EQ(format_figure(3.14159, 5), "3.1416");
  EXPECT_EQ(format_figure(3.9, 1), "4");
}

TEST(FormatFigure, RoundsBeforeItCountsDigits) {
  EXPECT_EQ(format_figure(9.996), "10.0");
  EXPECT_EQ(format_figure(999.9995), "1000");
  EXPECT_EQ(format_figure(1023.99), "1024");
  EXPECT_EQ(format_figure(0.9999), "1.00");
}

TEST(FormatFigure, BearsAnyValue) {
  EXPECT_EQ(format_figure(0), "0");
  EXPECT_EQ(format_figure(-0.0), "0");
  EXPECT_EQ(format_figure(1e-4), "0.000100");
  EXPECT_EQ(format_figure(1e-9), "1.00e-09");
  EXPECT_EQ(format_figure(1e12), "1000000000000");
  EXPECT_EQ(format_figure(1e15), "1.00e+15");
  EXPECT_EQ(format_figure(std::pow(2.0, 64)), "1.84e+19");
  EXPECT_EQ(format_figure(std::numeric_limits<double>::max()), "1.80e+308");
  EXPECT_EQ(format_figure(std::numeric_limits<double>::denorm_min()), "4.94e-324");
  EXPECT_EQ(format_figure(std::numeric_limits<double>::quiet_NaN()), "n/a");
  EXPECT_EQ(format_figure(std::numeric_limits<double>::infinity()), "n/a");
}

}  // namespace
}  // namespace pairbench
