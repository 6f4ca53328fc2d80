"""How Chinese denies, as the check of a summary reads it."""

# ruff: noqa: E501 (tables, of wide characters too)

from __future__ import annotations

from typing import Final

NEGATION: Final = r"不|没有?|無|无|别|未|非|勿|莫|甭|毋|免"
REFUSING: Final = "不别勿甭莫免非"
"""Of these, those that refuse; the others say that something has not happened."""
TRAPS: Final = (
    r"([一-鿿])不\1(?:[一-鿿]{0,2}[呢吗?？])?|有没有|可不可以|需不需要|喜不喜欢|"
    r"(?:不|别|没|勿)(?:能|要|可以|可|得|会|想|许)?(?:有)?(?:超过|超出|多于|少于|高于|低于|晚于|早于|迟于|大于|小于|超|过(?=[0-9一二三四五六七八九十百千两])|低过|高过|晚过)|"
    r"不得不|不能不|不可不|不会不|没有不|无不|非得|非要|除非|未经|没经过?|未获|不[到足](?=[0-9])|没有?(?=[一-鿿]{1,6}(?:同意|允许|许可|批准|点头))|超过[^,，。；;]{1,14}(?:不|没)|"
    r"不但|不仅|不只|不光|不单|不论|无论|不管(?!用)|没了|不过(?![0-9一二三四五六七八九十])|不错|不好意思|不客气|没问题|没关系|没事|没错|差不多|非常|无线|无锡|未来|未婚|别墅|别人|别的|"
    r"特别|区别|分别|级别|性别|告别|类别|个别|识别|辨别|别名|别克|不久|不断|不停[地的]|不妨|莫名|莫斯科|莫干山|无人机|无障碍|无限|无数|无疑|无所谓|"
    r"不要忘|别忘|不用担心|别担心|不用谢|不客气|免费|免税|没想到|不由|不料|忍不住|不见不散|不好说|非洲|非常规|不锈钢|不介意|不在乎|不在意|要不(?!要)|不管怎样|不一会"
)
"""Where a negation denies nothing: questions of the form A-not-A, bounds, double negations, other words."""
WEAK: Final = (
    r"出差|度假|休假|休息|有事|占用|"
    r"卡在|还在|耽搁|延误|怎么还|就该|本该|早该|"
    r"取消|除了|除外|去掉|移除|删|(?<![一二两三四五六七八九十几0-9])只|仅|(?<!太)太(?![太阳极平空湖原])|失败|缺|以外|之外|代替|坏|满(?!意)|尚|还没|没了|绝|难|反对|错|误|过期|谢绝|婉拒|介意|怕|(?<!麻)烦|担心|贵(?![阳州姓])|而不|例外|晚了|"
    r"仍|依然|还是|撤|关闭|丢|扔|搬走|空缺|待定|未定|随便|随意|都行|无所谓|可有可无|放弃|(?<!多)少|戒|素"
)
STRONG: Final = r"跳过|过敏|拒绝|避免|避开|忌口?|禁止|讨厌|排除|不耐受|反感|受不了|不能接受|谢绝|婉拒"
BEHIND: Final = frozenset({"过敏", "不耐受", "忌"})
"""Of these, those that stand behind what they refuse."""
SPLIT: Final = r"(?=否则)|但是|但|可是|不过|因为|所以|而是|而要|而且|改成|改为|换成|只要|只想|如果|万一|由于|因此|，|。|；|：|！|？|,|\.(?!\d)|;|:(?!\d)|!|\?|(?<=[一-鿿])\s+(?=[一-鿿])|\(|\)|（|）|—|\n"
LIGHT: Final = frozenset(
    "的了吗呢吧啊呀哦嘛我你您他她它们咱是有在要想能会可以用把被给就也都还和与或跟及对为因所而且这那个些么很最再又已将请让从到去来上下里外中希望需得着过"
    "地之其此该由于并说觉行好点儿吃做用先再另别没不无未非勿太更比"
)
"""Characters that say too little for a denial to be matched by them."""
KEPT: Final = frozenset("吃做行点好上下中用会外地里请")
"""Of these, those that say something within a word of two."""
ANSWERS: Final = r"\s*(?:嗯|啊|哦|那)?[,，、 ]*(?:不用|不要|不了|不是|没有|算了|不会|不需要|不必|不行|不可以|不好|不想|别|免了|不$|不[,，。!！])"
"""What a refusal begins with."""
EMPTY: Final = r"考虑|需要|必要|接受|合适|方便|可能|可以|愿意|希望|打算|想要|绝对|根本|完全|否则|千万|一定"
"""Words behind a negation that do not say what is denied."""
SAME: Final = (
    (r"免签证?", "不用签证"),
    (r"没有?(?:什么|任何)?变化|没变", "不奏效"),
    (r"(?:没|没有|不)(?:管用|起作用|起到作用|效果|用处|见效|奏效|用(?=[,，。；;、 !！]|\Z))|无效|没效", "不奏效"),
    (r"管用|起(?:了|到)?作用|有效|见效|有用(?=[,，。；;、 !！]|\Z)", "奏效"),
    (r"(?:没有?|未|未能|没能|尚未)(?:收到|送到|送来|送达|到货|寄到|到(?=[,，。；;、 !！]|\Z))", "没送达"),
    (r"(?:已经?|刚)(?:收到|送到|到货|寄到)", "已送达"),
    (r"([早午晚中])饭", r"\1餐"),
    (r"(?:抽|吸)烟", "吸烟"),
)
"""What is told in several ways, and one of them."""
ADVERSE: Final = "介意|问题|反对|影响|关系"
"""Questions with these are answered with yes by who refuses."""
COMMON: Final = frozenset("坐打送订定放加给吃喝住走发寄买看选换有是要拿带开写")
"""Verbs that say too little to stand for what is denied."""
FINISHED: Final = r"已经?|好了|完成|完了|妥了"
"""What says that something has happened."""
ACCEPTS: Final = r"\s*(?:好|行|可以|对|是的|嗯|没问题|挺好|很好|太好|就这|就它|当然|成)"
"""What a consent begins with."""
NOT_CHOSEN: Final = r"^\s*(?:不(?:走|选|去|坐|要|用|住)|没有?(?:选|要))"
"""What says that something is not what was chosen."""
