from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slotstate.parsing.contacts import find_emails, find_phones
from slotstate.parsing.folding import fold
from slotstate.parsing.money import Amount, find_money
from tests.parsing.known import told

MONEY = [
    ("$20", "$20=20 USD"),
    ("-$5", "-$5=-5 USD"),
    ("$1,234.50", "$1,234.50=1234.50 USD"),
    ("US$30", "US$30=30 USD"),
    ("€ 40", "€ 40=40 EUR"),
    ("40 €", "40 €=40 EUR"),
    ("£3.50", "£3.50=3.50 GBP"),
    ("40 pounds", "40 pounds=40 GBP"),
    ("20 bucks", "20 bucks=20 USD"),
    ("USD 40", "USD 40=40 USD"),
    ("40 usd", "40 usd=40 USD"),
    ("$2k", "$2k=2000 USD"),
    ("$2.9m", "$2.9m=2900000 USD"),
    ("3.1 billion dollars", "3.1 billion dollars=3100000000 USD"),
    ("four thousand three hundred dollars", "four thousand three hundred dollars=4300 USD"),
    ("a hundred euros", "a hundred euros=100 EUR"),
    ("5 dollars and 20 cents", "5 dollars and 20 cents=5.20 USD"),
    ("50 cents", "50 cents=0.50 USD"),
    ("between 500 and 800 euros", "500=500 EUR; 800 euros=800 EUR"),
    ("500 or 600 dollars", "500=500 USD; 600 dollars=600 USD"),
    ("£500-800", "£500=500 GBP; 800=800 GBP"),
    ("£40 or 2 tickets", "£40=40 GBP"),
    ("2 people and 50 euros", "50 euros=50 EUR"),
    ("¥300", "¥300=300 CNY|300 JPY"),
    ("预算￥300", "￥300=300 CNY|300 JPY"),
    ("300¥ですか", "300¥=300 JPY|300 CNY"),
    ("三百块", "三百块=300 CNY"),
    ("十块钱", "十块钱=10 CNY"),
    ("转五十块给小王", "五十块=50 CNY"),
    ("两百欧吧", "两百欧=200 EUR"),
    ("去20欧洲国家", ""),
    ("三块五", "三块五=3.5 CNY"),
    ("3万元", "3万元=30000 CNY"),
    ("100元以内", "100元=100 CNY"),
    ("三百美元", "三百美元=300 USD"),
    ("500日元", "500日元=500 JPY"),
    ("两块蛋糕", ""),
    ("20 people", ""),
    ("the dollar", ""),
    ("三元桥", ""),
]


def _show(amount: Amount) -> str:
    return f"{amount.value:f} {amount.currency}"


@pytest.mark.parametrize(("text", "expected"), MONEY)
def test_money(text: str, expected: str) -> None:
    assert told(text, find_money(fold(text)), _show) == expected


@given(st.decimals(0, 10**12, places=2), st.sampled_from(("USD", "EUR", "CNY")))
def test_amounts_come_back(value: Decimal, currency: str) -> None:
    (found,) = find_money(fold(f"{value:f} {currency}"))
    assert found.values == (Amount(value, currency),)


EMAILS = [
    ("jo@example.org", "jo@example.org=jo@example.org"),
    ("write Ann.Lee+x@Example.co.uk, please", "Ann.Lee+x@Example.co.uk=Ann.Lee+x@Example.co.uk"),
    ("mail:JO@x.com.", "JO@x.com=JO@x.com"),
    ("发到abc@qq.com吧", "abc@qq.com=abc@qq.com"),
    ("a@b", ""),
    ("a..b@x.com", ""),
    ("me @ home", ""),
]


@pytest.mark.parametrize(("text", "expected"), EMAILS)
def test_emails(text: str, expected: str) -> None:
    assert told(text, find_emails(fold(text))) == expected


PHONES = [
    ("+47 555 01 99", "+47 555 01 99=+475550199"),
    ("call 555 0199", "555 0199=5550199"),
    ("(555) 123-4567", "(555) 123-4567=5551234567"),
    ("555-123-4567", "555-123-4567=5551234567"),
    ("+1 (555) 123-4567", "+1 (555) 123-4567=+15551234567"),
    ("13800138000", "13800138000=13800138000"),
    ("我的手机13812345678谢谢", "13812345678=13812345678"),
    ("call 10086", "10086=10086"),
    ("两个电话，64431000或者64432000", "64431000=64431000; 64432000=64432000"),
    ("电话是95588", "95588=95588"),
    ("2024-05-17", ""),
    ("17.05.2024", ""),
    ("$10000", ""),
    ("10000 yuan", ""),
    ("1,234,567", ""),
    ("10 000 000", ""),
    ("card 4411", ""),
    ("5 6 7 8 9 10 11", ""),
    ("09:30 12:45", ""),
]


@pytest.mark.parametrize(("text", "expected"), PHONES)
def test_phones(text: str, expected: str) -> None:
    assert told(text, find_phones(fold(text))) == expected


@given(st.from_regex(r"[1-9][0-9]{6,14}", fullmatch=True))
def test_international_numbers_come_back(digits: str) -> None:
    assert [found.values for found in find_phones(fold(f"reach me at +{digits}."))] == [(f"+{digits}",)]
