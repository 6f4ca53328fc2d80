"""Chinese: how users speak of what slots are about."""

# ruff: noqa: E501 (tables)

from __future__ import annotations

from typing import Final

from slotstate.extractors.builtin.lexicon import Concept

CHINESE_CONCEPTS: Final = {
    "origin": Concept(
        slots=("出发地", "出发城市", "起点", "出发站", "始发", "始发地", "上车地点", "从哪", "哪里出发", "哪儿出发"),
        before=(r"从(?![来头小此不未])", r"由(?!于)", r"自(?![己动助由行])", r"從(?!來)", r"(?:出发地|起点|始发站?)(?:是|为|:)?"),
        after=(r"出发", r"起飞", r"动身", r"上车", r"启程"),
    ),
    "destination": Concept(
        slots=("目的地", "到达地", "到达城市", "终点", "到达站", "去哪", "到哪", "要去", "飞往", "下车地点"),
        before=(r"到", r"去", r"前往", r"飞往", r"飞", r"抵达", r"往", r"至", r"开往", r"回", r"(?:目的地|终点站?)(?:是|为|:)?"),
    ),
    "place": Concept(
        slots=("城市", "地点", "地方", "位置", "区域", "地区", "车站", "哪里", "哪儿", "在哪"), before=(r"在", r"住在", r"位于", r"附近是")
    ),
    "venue": Concept(slots=("餐厅", "酒店", "饭店", "景点", "名称", "店"), before=(r"名叫", r"名字叫", r"叫做", r"名称(?:是|叫|为|:)?")),
    "address": Concept(slots=("地址", "住址", "收货地址"), before=(r"(?:地址|住址)(?:是|:)?", r"送到", r"寄到")),
    "region": Concept(slots=("国家", "省", "省份", "国籍")),
    "recipient": Concept(slots=("收款人", "收件人", "联系人"), before=(r"给", r"转给", r"寄给")),
    "name": Concept(
        slots=("姓名", "名字", "乘客", "称呼", "贵姓", "怎么称呼", "联系人"),
        before=(r"我叫", r"(?:我的)?(?:名字|姓名)(?:是|叫|:)", r"叫我", r"我是", r"乘客(?:是|叫)", r"叫"),
    ),
    "code": Concept(
        slots=("编号", "号码", "代码", "订单", "订单号", "邮编", "卡号", "账号", "票号", "车次", "航班号", "验证码", "密码"),
        before=(r"(?:编号|号码|代码|订单号?|邮编|卡号|账号|票号|尾号)(?:是|为|:)?",),
    ),
    "note": Concept(slots=("备注", "留言", "说明", "反馈", "意见", "要求", "问题", "原因", "主题", "内容", "描述", "附言", "寄语")),
    "start": Concept(
        slots=("出发", "去程", "入住", "开始", "启程", "出发日期", "出发时间", "起飞", "取车", "发车"),
        before=(r"去程", r"出发(?:日期|时间)?(?:是|在|:)?", r"入住(?:日期)?(?:是|:)?", r"从", r"开始", r"取车"),
        after=(r"(?:的)?(?:去程|出发|走|去|入住|动身|起飞|开始|启程|过去|发车|取车|开)",),
    ),
    "end": Concept(
        slots=("返回", "返程", "回程", "离店", "退房", "结束", "返回日期", "回来", "到达", "抵达", "还车"),
        before=(r"回程", r"返程", r"返回(?:日期)?(?:是|:)?", r"(?:离店|退房)(?:日期)?(?:是|:)?", r"到", r"至", r"回来(?:是|的是|:)?", r"到达(?:时间)?(?:是)?", r"结束", r"还车"),
        after=(r"(?:的)?(?:返回|回来|回程|返程|回去|回|离店|退房|离开|结束|到达|到|抵达|前到|还车)",),
    ),
    "min": Concept(slots=("最低", "最少", "下限", "至少"), before=(r"至少", r"最低", r"超过", r"不低于", r"不少于", r"大于", r"从"), after=(r"以上", r"起")),
    "max": Concept(slots=("最高", "最多", "上限", "预算"), before=(r"最多", r"最高", r"不超过", r"低于", r"少于", r"小于", r"不高于", r"到", r"预算(?:是|在)?"),
                   after=(r"以下", r"以内", r"之内", r"封顶")),
    "first": Concept(slots=("第一",), before=(r"第一个(?:是)?",)),
    "second": Concept(slots=("第二",), before=(r"第二个(?:是)?", r"加", r"和")),
    "people": Concept(
        slots=("人数", "人", "几个人", "几位", "乘客数", "用餐人数", "多少人"), before=(r"一共", r"总共", r"我们"),
        after=(r"(?:个|個)?(?:成年)?人(?!民|间|均|行)", r"位(?!置|于)", r"名(?!字|称|胜)(?:乘客|客人)?", r"口人"),
    ),
    "adults": Concept(slots=("成人", "大人", "成人数"), after=(r"(?:个|位|名)?(?:成人|大人|成年人)", r"大(?=[零一二两三四五六七八九0-9]小)")),
    "children": Concept(slots=("儿童", "小孩", "孩子", "儿童数"), after=(r"(?:个|位|名)?(?:儿童|小孩|孩子|小朋友)", r"小(?=[,。 ]|\Z)")),
    "nights": Concept(slots=("晚", "晚数", "几晚", "入住天数", "住几晚"), after=(r"个?晚上?", r"夜", r"宿"), before=(r"住",)),
    "days": Concept(slots=("天数", "天", "几天"), after=(r"天(?!气|津|安|坛)", r"日游")),
    "pulse": Concept(slots=("脉搏", "心率", "心跳"), before=(r"(?:脉搏|心率|心跳)(?:是|为)?",)),
    "weeks": Concept(slots=("周数", "几周"), after=(r"个?(?:星期|周)",)),
    "months": Concept(slots=("月数", "几个月"), after=(r"个月",)),
    "years": Concept(slots=("年数", "几年"), after=(r"年",)),
    "minutes": Concept(slots=("分钟", "分钟数"), after=(r"分钟",)),
    "hours": Concept(slots=("小时", "时长"), after=(r"个?(?:小时|钟头)",)),
    "rooms": Concept(slots=("房间数", "房间", "间数", "几间"), after=(r"间(?:房间?|客房)?", r"个房间?")),
    "tickets": Concept(slots=("票数", "张数", "几张", "人数", "票", "数量"), after=(r"张(?:票|车票|机票|火车票|电影票)?", r"个座位?")),
    "bags": Concept(slots=("行李", "件数", "行李数", "几件"), after=(r"件(?:行李|托运)?", r"个(?:行李|箱子|包)")),
    "stars": Concept(slots=("星级", "星", "评分"), after=(r"颗?星(?!期)(?:级)?",)),
    "rating": Concept(slots=("评分", "打分", "分数"), before=(r"打", r"评", r"给"), after=(r"分(?!钟)", r"颗?星(?!期)")),
    "age": Concept(slots=("年龄", "岁数", "几岁", "多大"), before=(r"年龄(?:是)?",), after=(r"岁",)),
    "degrees": Concept(slots=("温度", "体温", "气温"), before=(r"(?:温度|体温|气温)(?:是)?",), after=(r"(?:摄氏)?度",)),
    "price": Concept(
        slots=("价格", "价钱", "预算", "金额", "费用", "票价", "多少钱", "付款"), before=(r"(?:价格|价钱|预算|金额|费用|票价|花|付|转)(?:是|在|为|大概|大约|约)?",),
    ),
    "past": Concept(slots=("发生", "购买日期", "下单", "事故", "损坏", "上次")),
    "birth": Concept(slots=("生日", "出生", "出生日期"), before=(r"(?:生日|出生日期?)(?:是|:)?", r"生于"), after=(r"(?:的)?(?:生日|出生)",)),
    "confirmation": Concept(slots=("确认", "是否确认")),
}  # fmt: skip
