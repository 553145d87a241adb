"""Roles of files that a query refers to by its words."""

import re
from collections.abc import Mapping
from functools import cache

from waymeet.analysis.cjk import has_cjk
from waymeet.analysis.file_roles import (
    BENCHMARK,
    BUILD_OUTPUT,
    CHANGELOG,
    DATA,
    DOCUMENTATION,
    EXAMPLE,
    GENERATED,
    IMAGE,
    LICENCE,
    LOCALE,
    LOCK,
    MINIFIED,
    RELEASE_NOTES,
    TEST,
    VENDORED,
)

_VERSIONS = (
    r"what'?s new|new in|what (?:has |was |is )?(?:been )?chang(?:ed|es)|changes? (?:in|since|between)|since when"
    r"|when (?:was|were|did) .*(?:add|remov|introduc|chang|deprecat|dropp?|fix)(?:e?d|e)?|release[ds]?|releasing"
    r"|change-logs?|history|news|(?:which|what|last|latest|previous|next|new|newer|old|older) versions?"
    r"|upgrad(?:e[ds]?|ing)|downgrad(?:e[ds]?|ing)|deprecat(?:e[ds]?|ing|ions?)|breaking changes?"
    r"|(?:migrat|port)(?:e|ing|ion)? (?:\S+ ){0,3}?(?:from|to)|versions? \d+|v\d+(?:\.\d+)*"
    r"|\d+\.\d+(?:\.\d+)*(?:(?:a|b|rc)\d+)?"
)
_WORDS: Mapping[str, str] = {
    TEST: r"(?<!\bto )(?<!\bi )(?<!\bwe )(?<!\byou )tests?|tested|testing|unit-tests?|pytest|specs?|fixtures?"
    r"|mock(?:s|ed|ing)?|snapshots?",
    DOCUMENTATION: r"docs?|document(?:s|ed|ation)?|manuals?|guides?|readme|described|explained",
    EXAMPLE: r"examples?|samples?|demos?|demonstrat(?:e[ds]?|ion)|tutorials?|playgrounds?",
    BENCHMARK: r"bench(?:es|mark(?:s|ed|ing)?)?|performance|throughput",
    CHANGELOG: _VERSIONS,
    RELEASE_NOTES: _VERSIONS,
    LICENCE: r"(?:un)?licen[cs](?:e[ds]?|ing)|copyright(?:s|ed)?|copying|[al]?gpl|legal|attribution|third-party",
    LOCALE: r"translat(?:e[ds]?|ing|ions?|ors?)|locales?|locali[sz](?:e[ds]?|ing|ations?)|l10n|i18n|gettext|msgid"
    r"|internationali[sz](?:e[ds]?|ing|ations?)|po-files?|languages?|multilingual",
    IMAGE: r"images?|pictures?|photos?|logos?|icons?|favicons?|screen-shots?|diagrams?|svgs?|png|jpe?g|gif|webp",
    LOCK: r"lock-files?|dependenc(?:y|ies)|pinn?(?:s|ed|ing)?|requirements?",
    DATA: r"data|data-(?:sets?|files?)|json|csv|tsv|xml",
    GENERATED: r"auto-generated|generated|codegen|protobuf|protoc|grpc|stubs?",
    MINIFIED: r"minif(?:y|ie[drs]|ication)|source-maps?|bundle[ds]?",
    VENDORED: r"vendor(?:s|ed|ing)?|third-party|3rd-party|bundled",
    BUILD_OUTPUT: r"dist|builds?|built|bundle[ds]?|compiled|transpiled",
}
"""Words by role. A hyphen stands for a space or nothing, too."""
_CJK_WORDS: Mapping[str, str] = {
    TEST: "テスト|試験|测试|測試|테스트",
    EXAMPLE: "例(?![外如えば])|サンプル|デモ|チュートリアル|演示|教程|예제|샘플",
    BENCHMARK: "ベンチマーク|性能|基准测试|基準測試|벤치마크",
    CHANGELOG: "リリース|変更点|変更履歴|更新履歴|新機能|バージョン|移行|非推奨|릴리스|변경|버전"
    "|发布|發布|发行|發行|变更|變更|更新日志|更新日誌|新特性|新功能|版本|升级|升級|迁移",
    LICENCE: "ライセンス|著作権|許諾|许可证|許可證|授权|授權|版权|版權|라이선스|저작권",
    LOCALE: "翻訳|ロケール|国際化|多言語|翻译|翻譯|本地化|国际化|國際化|多语言|多語言|语言包|번역",
    IMAGE: "画像|ロゴ|アイコン|写真|図|スクリーンショット|图片|圖片|图标|圖示|图像|截图|照片|徽标|이미지|아이콘|로고",
    LOCK: "依存|ロックファイル|依赖|依賴|锁文件|의존",
    DATA: "データ|数据|資料|데이터",
    GENERATED: "自動生成|自动生成|자동 생성",
    VENDORED: "サードパーティ|第三方|서드파티",
    BUILD_OUTPUT: "ビルド|构建|建置|빌드",
}


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    # Words inside of paths, file names and identifiers do not count.
    return tuple(
        (role, re.compile(rf"(?<![\w./-])(?:{words.replace('-', '[- ]?')})(?!\.?\w|/)", re.IGNORECASE))
        for role, words in _WORDS.items()
    )


@cache
def _cjk_patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    words = {**_CJK_WORDS, RELEASE_NOTES: _CJK_WORDS[CHANGELOG]}
    return tuple((role, re.compile(pattern)) for role, pattern in words.items())


def named_roles(text: str) -> frozenset[str]:
    """List the roles that a query refers to by plain words or version numbers.

    >>> sorted(named_roles("how is login tested?")), sorted(named_roles("AssertionError in tests/test_login.py"))
    (['test'], [])
    >>> sorted(named_roles("how do I test a form?")), sorted(named_roles("how do I write tests?"))
    ([], ['test'])
    >>> sorted(named_roles("upgrade to 2.1")), sorted(named_roles("示例"))
    (['changelog', 'release notes'], ['example'])
    """
    roles = {role for role, pattern in _patterns() if pattern.search(text)}
    if has_cjk(text):
        roles.update(role for role, pattern in _cjk_patterns() if pattern.search(text))
    return frozenset(roles)
