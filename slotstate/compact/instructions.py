"""Words that speak to the assistant that will read the summary, or pose as another part of its prompt."""

# ruff: noqa: E501 (tables, of wide characters too)

from __future__ import annotations

import re
from typing import Final

from slotstate.parsing import fold

_RULES: Final = (
    r"(?:rules?|instructions?|prompts?|guidelines?|guardrails?|restrictions|safeguards|"
    r"(?:everything|anything|all|text|messages?|what (?:is|was|stands|comes)) (?:above|before|earlier|previous|prior)|the above)"
)
_OBEY: Final = (
    r"(?:now|always|never|only|ignore|disregard|obey|comply|reveal|respond|reply|answer|output|print|say|act|behave|"
    r"pretend|approve|grant|follow|forget|execute|treat|accept any|give (?:the user|them|him|her))"
)
_DIRECT: Final = (
    rf"\b(?:ignor|disregard|overrid|overrul|bypass|circumvent|forget)\w*\b[^.!?\n]{{0,40}}\b{_RULES}\b",
    rf"\b(?:do not|don't|never|stop) (?:follow|obey|apply|respect|comply with)\w*\b[^.!?\n]{{0,30}}\b{_RULES}\b",
    rf"\byou (?:must|should|will|shall|have to|need to|are to|are required to|may) {_OBEY}\b",
    r"\byou are (?:now|no longer|a|an) (?:in |a |an |the )?\w+",
    r"\bfrom now on,? (?:you|answer|respond|reply|act|treat|speak|ignore|approve)\b",
    r"\b(?:the )?(?:assistant|bot|chatbot|model|llm|ai|system)(?: model| assistant)? (?:must|should|has to|needs to|"
    r"is required to) (?:now |always |never )?(?:ignore|disregard|obey|comply|reveal|pretend|approve|grant|"
    r"act as|behave|bypass|override|unlock|answer anything)\b",
    r"\b(?:act|behave|respond|reply|answer) as (?:if|though|a|an|the)\b[^.!?\n]{0,40}\b(?:admin\w*|developer|root|system|unrestricted|no (?:rules|limits))",
    r"\bpretend (?:to be|that you|you)\b",
    r"\b(?:new|updated|real|actual) (?:system (?:instructions?|prompt)|instructions?:)",
    r"\b(?:(?:system|developer) prompt|hidden (?:prompt|instructions?))\b",
    r"\b(?:reveal|print|repeat|leak|output|disclose)\w* (?:me )?(?:your|the system|all) (?:\w+ ){0,2}(?:prompt|instructions?|rules|api keys?|secrets?|passwords?)\b",
    r"\b(?:god|dan|unrestricted) mode\b",
    r"\bjailbr(?:eak|oken)\w*",
    r"\bwithout (?:asking|telling|informing|consulting) (?:the user|anyone|anybody)\b[^.!?\n]{0,40}\b(?:approve|transfer|send|pay|delete)",
    r"\b(?:always|automatically|immediately) (?:approve|grant|accept|confirm|execute|comply with|agree to) (?:all|any|every|each)\b",
    r"(?:忽略|无视|無視|忘记|忘掉|抛开|绕过|不(?:要|必|用|需|得)(?:再)?(?:遵守|理会|遵循|服从)|别(?:再)?(?:管|遵守|理会))[^。！？\n!?]{0,14}"
    r"(?:规则|規則|指令|指示|提示|限制|规定|设定|准则|以上|上述|上面|之前的|前面的|约束)",
    r"你(?:现在|必须|應該|应该|务必|只能|只需|要|得|将|须)(?:必须|始终|总是|永远|立即|马上|扮演|服从|忽略|无视|回答|回复|输出|执行|批准|同意|答应|按|听从|是|假装|遵从|公开|透露)",
    r"你(?:现在|从现在起|已经)(?:是|成为)",
    r"从现在(?:起|开始)[,，、]?(?:你|必须|请|一律|始终|总是|不再)",
    r"(?:助手|助理|机器人|模型|系统|ai)(?:现在)?(?:必须|应当|应该|务必|要|须)(?:立即|始终|永远|无条件)?(?:服从|忽略|无视|批准|同意所有|泄露|透露|遵从|扮演|假装|答应)",
    r"(?:请|你)?(?:扮演|假装(?:成|是|你))",
    r"系统提示词|(?:系统|隐藏)指令",
    r"(?:泄露|透露|公开|输出|打印)[^。！？\n]{0,8}(?:提示词|指令|密钥)",
    r"越狱模式",
    r"(?:一律|无条件|自动)(?:批准|同意|通过|执行|答应|服从)",
)
_POSED: Final = (
    r"(?:^|[\n.!?。！？;；]\s*)[\s#*>\[(<「【]*(?:system|assistant|developer|tool|human|user|ai|bot|系统|系統|助手|助理|用户|用戶|开发者|工具)"
    r"\s*[\])>」】]?\s*[:：](?=\s|\D)",
    r"<\|[^|>]{0,40}\|>|\[/?inst\]|<</?sys>>|^#{2,}\s|</?s>(?:\s|$)",
    r"<\s*/?\s*(?:system|assistant|developer|user|tool|instructions?|prompt|slots|summary|quotes|note|turns?)\b",
    r"&lt;\s*/?\s*(?:slots|summary|quotes|note)\b",
    r"\{\{|\{%",
)
_DIRECTS: Final = re.compile("|".join(f"(?:{pattern})" for pattern in _DIRECT))
_POSES: Final = re.compile("|".join(f"(?:{pattern})" for pattern in _POSED))
_SIGNS: Final = re.compile(
    r"ignor|disregard|overr|bypass|circumv|forget|violat|follow|obey|comply|respect|you |from now|assistant|bot|model|"
    r"system|ai |as |pretend|instruction|prompt|mode|jailbr|without|always|automat|immediat|reveal|print|repeat|show|leak|output|disclos|"
    r"忽略|[无無][视視]|忘|抛|绕|违|遵|理会|管|你|从现在|助手|助理|机器人|模型|系统|ai|扮演|假装|提示|指令|模式|一律|无条件|自动|泄|透|公开|输出|打印|告诉"
)
_HIDDEN: Final = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0\u2800]")
"""Letters that show nothing."""


def instructs(text: str) -> str | None:
    """The words that give an instruction or pose as a message or a delimiter, or None."""
    folded = _HIDDEN.sub("", fold(text).text)
    found = _POSES.search(folded) or (_DIRECTS.search(folded) if _SIGNS.search(folded) else None)
    if found is None and "```" in text:
        return "```"
    return found[0].strip() if found else None
