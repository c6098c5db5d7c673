"""The words of dates, by language.

A table line gives a slot's words and their meanings, 'name = word word: meaning; word: meaning', or numbers in a row,
'name = 1.. word | word' ('30/10..' counts in tens). A pattern line gives a rule's phrases, 'rule: phrase ; phrase',
each as it is said; '//' separates rules. `{slot}` is a word of a table, `{field:slot}` gives it another name, `[a|b]`
is optional, `(a|b)` is one of them. A phrase with `?` before it counts only after a word of the language's gate. Words
are compared without letter case and accents; a word with `^` before it needs a capital letter; `_` is a space. A
phrase of one language never contains one of another.
"""

from collections.abc import Mapping

from uac.text.dates.vocabulary_dutch import DUTCH
from uac.text.dates.vocabulary_english import ENGLISH
from uac.text.dates.vocabulary_german import GERMAN
from uac.text.dates.vocabulary_polish import POLISH
from uac.text.dates.vocabulary_romance import FRENCH, ITALIAN, PORTUGUESE, SHARED_ROMANCE, SPANISH

__all__ = ["FRACTIONS", "LANGUAGES", "NOT_A_YEAR_BEFORE"]

_SHARED = """
duration: {n} [-] {unit} // near: {near} // span: {which} {span} // weekday: {which} {weekday}
bare_month: ?{month} // year: ?{year} // season: {which} {season} // bare_holiday: {holiday}
"""

_CHINESE_AND_JAPANESE = """
near = 今天 今日 今晚 今早 きょう: 0; 明天 明日 あした: 1; 昨天 昨日 昨晚 きのう: -1;
    前天 一昨日 おととい: -2; 后天 後天 明後日 あさって: 2 // near = 大前天: -3 // near = 大后天 大後天: 3
few = 几 幾 数: x
unit = 分钟 分鐘: 1 minute; 小时 小時 个小时 個小時 時間: 1 hour; 天 日: 1 day;
    周 週 星期 个星期 個星期 礼拜 个礼拜 禮拜 個禮拜 週間: 1 week; 个月 個月 ヶ月 か月 カ月 ケ月 箇月: 1 month;
    年: 1 year
long = 天 日間: 1 day; 个月 個月 ヶ月 か月 カ月: 1 month; 周 週 星期 个星期 個星期 週間: 1 week; 年 年間: 1 year;
    小时 小時 時間: 1 hour; 分钟 分鐘: 1 minute
span = 周 週 星期 礼拜 禮拜: week; 月: month
which = 上 上个 上個: -1; 这 這 本 这个 這個: 0; 下 下个 下個: 1
yearly = -1.. 去年 昨年 | 今年 | 明年 来年 來年 // yearly = 前年 一昨年 おととし: -2 // yearly = 后年 後年 再来年: 2
monthly = -1.. 先月 | 今月 | 来月 // monthly = 先々月: -2 // monthly = 再来月: 2
weekly = -1.. 先週 上周 上週 上星期 上个星期 上個星期 上礼拜 上禮拜 上个礼拜 |
    今週 本周 这周 這週 本週 这星期 这个星期 | 来週 下周 下週 下星期 下个星期 下個星期 下礼拜 下禮拜 下个礼拜
weekly = 先々週 上上周: -2 // weekly = 再来週 下下周: 2
weekday = 0.. 一 月曜 月曜日 | 二 火曜 火曜日 | 三 水曜 水曜日 | 四 木曜 木曜日 | 五 金曜 金曜日 | 六 土曜 土曜日 |
    日 天 日曜 日曜日
bare_weekday = 0.. 月曜日 | 火曜日 | 水曜日 | 木曜日 | 金曜日 | 土曜日 | 日曜日
duration: {n}{unit:long} // near: {near} // none: (每|毎)(周|週|星期|年|月|天|日) // ago: {n}{unit}[以|之]前
ahead: {n}{unit}[以|之](后|後) // ago_few: {few}{unit}[以|之]前 // ahead_few: {few}{unit}[以|之](后|後)
span: {which}{span} // span_week: {which:weekly} // span_month: {which:monthly} // span_year: {which:yearly}
weekend: {which:weekly}末 ; {which:weekly}の週末 // weekday_of_week: {which:weekly}[の]{weekday}
bare_weekday: {bare_weekday} // year: {year}年
month_of_year: {year}年{month:mon}月[份] ; {which:yearly}[の|的]{month:mon}月[份] // bare_month: {month:mon}月[份]
day_of_month: {month:mon}月{day:cjk_day}(日|号|號) ; {year}年{month:mon}月{day:cjk_day}(日|号|號) ;
    {which:yearly}[の|的]{month:mon}月{day:cjk_day}(日|号|號)
day_of_span: {which}月{day:cjk_day}(日|号|號) // bare_day: {ordinal:cjk_day}(号|號)
"""

LANGUAGES: Mapping[str, str] = {
    "en": _SHARED + ENGLISH,
    "de": _SHARED + GERMAN,
    "es": _SHARED + SHARED_ROMANCE + SPANISH,
    "fr": _SHARED + SHARED_ROMANCE + FRENCH,
    "it": _SHARED + SHARED_ROMANCE + ITALIAN,
    "pt": _SHARED + SHARED_ROMANCE + PORTUGUESE,
    "nl": _SHARED + DUTCH,
    "pl": _SHARED + POLISH,
    "zh": _CHINESE_AND_JAPANESE,
}

NOT_A_YEAR_BEFORE = frozenset(
    "dollars dollar euros euro pounds pound usd eur gbp yen people persons guests users calories kcal steps words pages"
    " miles mile km m meters metres feet ft kg g mg ml l hours minutes days weeks months years percent % € $ £ ¥ times"
    " square watts points employees students leute kalorien schritte personas personnes persone pessoas mb gb".split()
)
"""What is counted or measured: the number before it is no year."""

FRACTIONS = frozenset("1/2 1/3 2/3 1/4 3/4 1/5 1/8 10/10 5/5 24/7 9/10 8/10 7/10".split())
"""Written like a day and a month, but seldom meant so."""
