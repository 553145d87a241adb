"""Questions that a folder of seven notes cannot answer, in three languages, with and without models."""

import json
from pathlib import Path

import pytest
from interfaces.conftest import Run
from support.without_models import WITHOUT_MODELS

NOTES = {
    "en": (
        "# Tea\n\nGreen tea wants water that does not boil. Steep it for two minutes.\n",
        "# Backups\n\nThe nightly backup copies the database to the second disk. Restore it with restore.sh.\n",
        "# Meeting 12 May\n\nWe decided to move the release to June. Anna writes the announcement.\n",
        "# Router\n\nThe router password is on the sticker. Restart it when the wifi drops.\n",
        "# Books\n\nRead: a history of bread. To read: the art of mending.\n",
        "# Bike\n\nChange the chain every 3000 km. The spare tube is in the blue bag.\n",
        "# Holiday\n\nThe ferry to the island leaves at nine. Book the cabin early.\n",
    ),
    "ja": (
        "# お茶\n\n緑茶は沸騰していないお湯で淹れる。二分間待つ。\n",
        "# バックアップ\n\n毎晩、データベースを二台目のディスクにコピーする。復元には restore.sh を使う。\n",
        "# 会議 五月十二日\n\nリリースを六月に延期することに決めた。告知文は田中さんが書く。\n",
        "# ルーター\n\nルーターのパスワードはシールに書いてある。無線が切れたら再起動する。\n",
        "# 本\n\n読了:パンの歴史。次に読む本:繕いの技術。\n",
        "# 自転車\n\nチェーンは三千キロごとに交換する。予備のチューブは青い鞄の中にある。\n",
        "# 休暇\n\n島へのフェリーは九時に出る。船室は早めに予約する。\n",
    ),
    "zh": (
        "# 茶\n\n绿茶不要用沸水冲泡。泡两分钟即可。\n",
        "# 备份\n\n每天夜里把数据库复制到第二块硬盘。用 restore.sh 恢复。\n",
        "# 五月十二日会议\n\n决定把发布推迟到六月。由小王撰写公告。\n",
        "# 路由器\n\n路由器的密码写在标签上。无线网络断开时重新启动它。\n",
        "# 书\n\n已读:面包的历史。待读:缝补的艺术。\n",
        "# 自行车\n\n链条每三千公里更换一次。备用内胎在蓝色的包里。\n",
        "# 假期\n\n去岛上的渡轮九点出发。船舱要提前预订。\n",
    ),
}
ANSWERED = {
    "en": ("when do I change the bike chain", "wifi drops", "who writes the announcement"),
    "ja": ("自転車のチェーンはいつ交換するか", "ルーターのパスワード", "島へのフェリー"),
    "zh": ("自行车链条多久更换一次", "路由器的密码", "去岛上的渡轮"),
}
STRANGE = {
    "en": ("qqqqxyzzy", "how do I contest a parking fine"),
    "ja": ("qqqqxyzzy", "遺言書は手書きでも有効か"),
    "zh": ("qqqqxyzzy", "手写的遗嘱有效吗"),
}
FIRST_MINUTE = ("--no-background", "--set", "embedding.on_demand_seconds=0")
"""Options of a search that uses approximate vectors alone."""


@pytest.fixture(params=NOTES)
def language(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Make a folder of seven notes, go there and give their language."""
    root = tmp_path / "notes"
    root.mkdir()
    for number, text in enumerate(NOTES[request.param]):
        (root / f"{number}.md").write_text(text, encoding="utf-8")
    monkeypatch.chdir(root)
    return str(request.param)


@pytest.fixture
def models(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Use the default models, and no vectors of other tests."""
    for name in WITHOUT_MODELS:
        monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def check(run: Run, language: str, *options: str) -> None:
    """Check that strange questions are marked or find nothing, and that others are answered."""
    for query in ANSWERED[language]:
        ran = run("search", query, "--json", *options)
        assert (ran.code, json.loads(ran.out)["low_relevance"]) == (0, False), query
    for query in STRANGE[language]:
        ran = run("search", query, "--json", *options)
        answer = json.loads(ran.out)
        assert answer["low_relevance"] or not answer["hits"], query
        assert ran.code == 1 or answer["has_word_match"], query
    assert ran.code == 1 or language != "en"
    assert run("search", "qqqqxyzzy", *options).code == 1


def test_words_alone_tell_what_the_notes_do_not_answer(language: str, run: Run) -> None:
    check(run, language)


@pytest.mark.usefixtures("models")
def test_vectors_do_too(language: str, run: Run) -> None:
    run("index")
    check(run, language)
    nonsense = run("search", "qqqqxyzzy")
    assert nonsense.out.startswith("No result looks relevant; showing the closest matches.\n\n1. ")
    assert nonsense.out.count(" (low)\n") == 7
    assert nonsense.err == "No word of the query occurs in these results. Try other words.\n"


@pytest.mark.usefixtures("models")
def test_approximate_vectors_do_too(language: str, run: Run) -> None:
    check(run, language, *FIRST_MINUTE)


@pytest.mark.usefixtures("models")
@pytest.mark.parametrize("language", ["en"], indirect=True)
def test_a_note_with_other_words_is_found_by_vectors(language: str, run: Run) -> None:
    run("index")
    found = json.loads(run("search", "vacation boat", "--json").out)
    assert found["hits"][0]["document"] == "6.md"
    assert (found["low_relevance"], found["has_word_match"], language) == (False, False, "en")


@pytest.mark.usefixtures("models")
@pytest.mark.parametrize("language", ["en"], indirect=True)
def test_no_editor_opens_for_nonsense(language: str, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VISUAL", "false")
    run("index")
    ran = run("search", "qqqqxyzzy", "--open")
    assert (ran.code, ran.out.startswith("No result looks relevant"), language) == (1, True, "en")
