"""Encodings of text files: those that are guessed, what is said about them, and that an edit keeps them."""

from __future__ import annotations

import codecs
import unicodedata

import pytest
from file_calls import FileCalls

from msgbook.tools.files import decode

SAMPLES = {
    "gb18030": """
        你好
        您好，世界。
        中文测试
        数据分析
        名称,价格|苹果,3|香蕉,5|
        使用Python编写的程序
        北京市朝阳区
        张三 李四 王五
        温度\t湿度|23\t45|
        错误：文件不存在
        用户编号,姓名,城市,年龄|1,王小明,上海,28|2,李娜,广州,35|
        春眠不觉晓，处处闻啼鸟。夜来风雨声，花落知多少。
        机器学习是人工智能的一个分支。它研究计算机怎样模拟或实现人类的学习行为，以获取新的知识或技能。
        """,
    "big5": """
        你好
        中文
        您好，世界
        測試
        台北市
        臺灣大學
        香港
        備註
        資料分析報告
        名稱,價格|蘋果,3|香蕉,5|
        使用者編號,姓名,城市,年齡|1,王小明,高雄,28|
        機器學習是人工智慧的一個分支。這是一個用於測試編碼識別的檔案，我們希望程式能夠正確地讀出其中的內容。
        """,
    "shift_jis": """
        こんにちは
        日本語
        テスト
        データ
        東京都
        議事録
        山田太郎
        エラー: ファイルが見つかりません
        名前,価格|りんご,3|バナナ,5|
        機械学習は人工知能の一分野である。これは文字コードの判定を試すための文章です。
        """,
    "euc_jp": """
        こんにちは
        日本語
        テスト
        東京都
        山田太郎
        ありがとうございます
        名前,価格|りんご,3|バナナ,5|
        機械学習は人工知能の一分野である。これは文字コードの判定を試すための文章です。
        """,
    "euc_kr": """
        안녕
        안녕하세요
        한국어
        테스트
        서울특별시
        이름,가격|사과,3|바나나,5|
        기계 학습은 인공지능의 한 분야이다. 이것은 문자 인코딩을 시험하기 위한 글입니다.
        """,
    "cp1251": """
        Привет, мир
        Москва
        имя;цена|яблоко;3|
        Это проверка кодировки текста
        """,
    "koi8-r": """
        Привет, мир
        Это проверка кодировки текста
        """,
    "cp1253": "Αυτό είναι ένα κείμενο",
    "cp1255": "שלום עולם",
    "cp1256": "هذا نص للاختبار",
    "cp874": """
        สวัสดีครับ
        กรุงเทพมหานคร
        ชื่อ,ราคา|แอปเปิ้ล,3|
        ภาษาไทยเป็นภาษาที่มีระดับเสียงของคำแน่นอน
        """,
    "cp1250": """
        Zażółć gęślą jaźń
        Dziękuję, proszę przesłać umowę
        imię;nazwisko;miasto|Łukasz;Wiśniewski;Łódź|
        Příliš žluťoučký kůň úpěl ďábelské ódy
        jméno;město|Jiří;Plzeň|
        Árvíztűrő tükörfúrógép
        Köszönöm szépen, jó reggelt kívánok
        Vďaka, želám pekný deň
        Čuvaj se, hvala, žao mi je, šećer
        Bună ziua, mulţumesc pentru încredere, aşa este
        """,
    "iso8859-2": """
        Zażółć gęślą jaźń
        Žádost o výpis
        Šťastnou cestu, děkuji
        imię;nazwisko|Łukasz;Wiśniewski|
        """,
    "cp1254": """
        Günaydın, nasılsın? Teşekkür ederim
        İstanbul'da yağmur yağıyor, çok güzel
        ad;şehir|Ayşe;Eskişehir|
        """,
    "cp1257": """
        Ačiū, labas rytas, kaip gyveni? Šiandien graži diena
        Labdien, paldies, šodien ir ļoti jauka diena
        """,
    "cp850": """
        Größe und Länge für Mädchen über Öl
        São Paulo, não é, a educação
        Le français est très élégant, ça va être
        """,
    "cp437": "mañana niño ¿qué?",
    "cp852": "Příliš žluťoučký kůň",
    "mac_roman": """
        Le café où Zoé a mangé une pêche était fermé
        “Hello” it’s don’t — we’re
        São Paulo não é
        """,
    "iso8859-5": "Привет, мир, это проверка кодировки",
    "mac_cyrillic": "Это проверка кодировки текста, привет",
    "iso8859-7": "Αυτό είναι ένα κείμενο",
    "cp1252": """
        naïve résumé
        10 °C ± 0,5
        © 2020 Müller
        È già così, perché no? Città è più
        Åse Øystein på høyskolen, blåbær
        Þetta er íslenska, já, það er góður dagur
        Ça coûte 5 € — c’est l’été
        À bientôt, François
        café
        é
        ä
        Größe
        ÜBUNG ÄRGER
        ÄÖÜ
        it’s don’t we’re I’m
        “Hello”
        él está aquí, mañana niño ¿qué?
        São Paulo, não é?
        päästää sää hyvää yötä
        smörgåsbord på sjön
        5 €
        20 °C ±5 µm
        ÉTÉ
        Ærø Ålesund
        français;prénom|Zoë;Éloïse|
        Le café où Zoé a mangé une pêche était fermé. Ça va être très bien, là-bas.
        """,
}
"""Texts by the encoding in which nothing but their characters tells it, from a word to some sentences."""

TABLE = [
    (codec, line.strip(" ").replace("|", "\n"))
    for codec, lines in SAMPLES.items()
    for line in lines.splitlines()
    if line.strip()
]


@pytest.mark.parametrize("times", [1, 300])
@pytest.mark.parametrize(("codec", "text"), TABLE)
def test_a_text_is_read_in_the_encoding_that_it_is_likely_to_be_in(
    codec: str, text: str, times: int
) -> None:
    text = "\n".join([text] * times if len(text) > 3 else [text])

    file = decode(text.encode(codec), local="")

    assert file is not None
    assert (file.text, file.is_guessed) == (text, True)
    assert file.encode() == text.encode(codec)


@pytest.mark.parametrize(("codec", "text"), TABLE)
def test_what_is_ascii_before_and_after_changes_nothing(codec: str, text: str) -> None:
    page = "# notes\n" + "x = 1, y = 2; the same again\n" * 200 + f"{text}\nthe end.\n" * 3

    file = decode(page.encode(codec), local="")

    assert file is not None
    assert file.text == page


WORDS = {"gbk": "山田 議事録", "euc_jp": "議事録 売上高", "cp949": "백귀야행", "iso8859-2": "żółw"}
"""Texts that another encoding would fit as well, by the encoding of the user's system."""


@pytest.mark.parametrize(("codec", "text"), WORDS.items())
def test_the_encoding_of_the_users_system_is_preferred(codec: str, text: str) -> None:
    file = decode(text.encode(codec), local=codec)

    assert file is not None
    assert file.text == text


@pytest.mark.parametrize("local", ["gbk", "shift_jis", "koi8-r", "iso8859-2"])
@pytest.mark.parametrize(
    ("codec", "text"),
    [("gb18030", SAMPLES["gb18030"]), ("big5", SAMPLES["big5"]), ("euc_jp", SAMPLES["euc_jp"])],
)
def test_a_longer_text_of_another_system_is_read_all_the_same(codec, text, local) -> None:
    file = decode(text.encode(codec), local=local)

    assert file is not None
    assert file.text == text


MARKS = {
    "utf-8": codecs.BOM_UTF8,
    "utf-16-le": codecs.BOM_UTF16_LE,
    "utf-16-be": codecs.BOM_UTF16_BE,
    "utf-32-le": codecs.BOM_UTF32_LE,
    "utf-32-be": codecs.BOM_UTF32_BE,
}


@pytest.mark.parametrize(("codec", "mark"), MARKS.items())
@pytest.mark.parametrize("end", range(5))
def test_the_beginning_of_a_marked_file_is_read_wherever_it_ends(codec, mark, end) -> None:
    data = mark + "一\n二二\n三\n".encode(codec)

    file = decode(data[: len(data) - end], is_complete=False)

    assert file is not None
    assert file.codec == codec
    assert "一\n二二\n三\n".startswith(file.text)
    assert file.text.startswith("一\n二二\n")


@pytest.mark.parametrize("codec", ["gb18030", "big5", "shift_jis", "euc_jp", "euc_kr", "cp1251"])
def test_the_beginning_of_a_file_ends_with_a_line(codec: str) -> None:
    line = next(text for name, text in reversed(TABLE) if name == codec)
    data = f"{line}\n{line}\n{line}".encode(codec)

    for end in range(1, 6):
        file = decode(data[:-end], is_complete=False, local="")
        assert file is not None
        assert file.text == f"{line}\n{line}\n"


@pytest.mark.parametrize("codec", ["utf-8", "cp1252", "utf-16"])
def test_the_beginning_of_a_file_whose_lines_end_with_cr_ends_with_one(codec: str) -> None:
    data = "äins\rzwöi\rdrü".encode(codec)

    file = decode(data[:-1], is_complete=False, local="")

    assert file is not None
    assert file.lines == "äins\nzwöi\n"


DAMAGED = {
    "a byte": "Größe für Mädchen: ".encode() + b"\xff" + " und Öl\n".encode(),
    "a cut end": "Größe für Mädchen é".encode()[:-1],
    "a cut beginning": "大这是一个测试文件\n".encode()[1:],
    "bytes in a long text": ("Größe, 漢字, Ё\n" * 500).encode() + b"\x80\xfe",
    "NUL bytes": b"a,b\0,c\n1,2,3\n4,\0,6\n",
    "NUL bytes and letters": "name,größe\nÄpfel\0,3\n".encode(),
}


@pytest.mark.parametrize("local", ["", "gbk", "koi8-r", "iso8859-2"])
@pytest.mark.parametrize("data", DAMAGED.values(), ids=DAMAGED)
def test_a_text_with_a_few_broken_bytes_is_itself_but_for_these(data: bytes, local: str) -> None:
    file = decode(data, local=local)

    assert file is not None
    assert (file.is_damaged, file.codec) == (True, "utf-8")
    assert file.text == data.replace(b"\0", "\ufffd".encode()).decode("utf-8", "replace")
    assert "bytes that are not text" in file.note


def test_an_edit_of_a_damaged_text_does_not_lose_its_bytes(tmp_path) -> None:
    files = FileCalls(tmp_path)
    for number, data in enumerate(DAMAGED.values()):
        (tmp_path / f"{number}.txt").write_bytes(data)
        files.run("read", path=f"{number}.txt")
        words = files.error("edit", path=f"{number}.txt", old="e", new="x")
        assert "an edit would change other bytes" in words
        assert (tmp_path / f"{number}.txt").read_bytes() == data


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize(
    "text", ["plain words\n", "a\tb\r\n1\t2\r\n", "Größe in Latin letters\n" * 9]
)
def test_utf16_without_a_byte_order_mark_is_read(codec: str, text: str) -> None:
    file = decode(text.encode(codec))

    assert file is not None
    assert (file.text, file.codec, file.is_guessed) == (text, codec, True)
    assert file.encode() == text.encode(codec)


WIDE = ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"]


@pytest.mark.parametrize("codec", WIDE)
@pytest.mark.parametrize(
    "text",
    [
        "Привет",
        "Привет, мир\n",
        "你好，世界。\n名称,价格\n",
        "機器學習是人工智慧的一個分支",
        "こんにちは\n名前,価格\n",
        "日本語テスト",
        "안녕하세요\n이름,가격\n",
        "Αυτό είναι ένα\n",
        "שלום עולם\n",
        "สวัสดีครับ\n",
        "हिन्दी में\n",
        "Zażółć gęślą\n",
        "1\n2\n",
    ],
)
def test_wide_text_without_a_byte_order_mark_is_read_in_any_letters(codec: str, text: str) -> None:
    file = decode(text.encode(codec), local="")

    assert file is not None
    assert (file.text, file.codec, file.is_guessed) == (text, codec, True)


def _words_by_script() -> dict[str, str]:
    """Return some words of each alphabet and syllabary: its letters in their order."""
    letters: dict[str, list[str]] = {}
    for char in map(chr, range(0x370, 0xD800)):
        script = unicodedata.name(char, "?").split()[0]
        if unicodedata.category(char) in ("Lo", "Ll") and script not in (
            "CJK",
            "LATIN",
            "MODIFIER",
        ):
            letters.setdefault(script, []).append(char)
    scripts = {script: found[:40] for script, found in letters.items() if len(found) >= 20}
    return {
        script: " ".join("".join(found[at : at + 4]) for at in range(0, len(found), 4))
        for script, found in scripts.items()
    }


@pytest.mark.parametrize("codec", WIDE)
def test_wide_text_is_read_in_the_letters_of_each_script(codec: str) -> None:
    scripts = _words_by_script()
    assert len(scripts) > 50
    for script, text in scripts.items():
        file = decode(text.encode(codec), local="")

        assert file is not None, script
        assert (file.text, file.codec) == (text, codec), script


@pytest.mark.parametrize("codec", WIDE)
@pytest.mark.parametrize("end", range(1, 7))
def test_the_beginning_of_a_wide_file_ends_with_a_line(codec: str, end: int) -> None:
    data = "Привет, мир\nещё строка\nконец".encode(codec)

    file = decode(data[:-end], is_complete=False, local="")

    assert file is not None
    assert file.text == "Привет, мир\nещё строка\n"


@pytest.mark.parametrize(
    ("codec", "text"),
    [
        ("iso2022_jp", "こんにちは\n日本語"),
        ("iso2022_jp", "a 議事録 b"),
        ("iso2022_kr", "안녕하세요 한국어"),
        ("hz", "你好，世界 abc"),
        ("utf-7", "Größe für"),
        ("utf-7", "Привет, мир"),
        ("utf-7", "日本語のテスト"),
    ],
)
def test_text_in_seven_bits_is_read(codec: str, text: str) -> None:
    file = decode(text.encode(codec))

    assert file is not None
    assert (file.text, file.codec, file.is_guessed) == (text, codec, True)


@pytest.mark.parametrize(
    "text",
    [
        "a+b-c C++ +49-30 x+yz-1",
        "~{x}~ and ~{}~",
        "plain +AAAA- x",
        "c2lnbmVk+QWJjZGVm/Zm9v+YmFy==",
        "ssh-rsa AAAAB3NzaC1yc2E+AAAADAQABAAABgQ+DexampleKeyHere",
        "\x1b[31mred\x1b[0m",
        "a\x01b\n",
        "\x1b(B",
    ],
)
def test_other_ascii_is_ascii(text: str) -> None:
    file = decode(text.encode(), local="")

    assert file is None or (file.text, file.codec) == (text, "utf-8")


@pytest.mark.parametrize(
    "data",
    [
        bytes(500),
        b"ustar\0" + bytes(100) + b"a text of a file in it\n",
        b"\1\0\2\0\3\0\4\0",
        b"\x7fELF\2\1\1\0\n" + bytes(20),
        b"\0a\0\0b\0",
        b"GIF89a\0\n\xff\xfe\0",
        bytes([0, 1, 2, 255]) * 20,
        bytes(range(256)) * 4,
        b"\0\1\0\2\0\3\0\4" * 8,
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\x08\6\0\0\0",
        b"\x1f\x8b\x08\0\0\0\0\0\0\3",
        b"SQLite format 3\0\x10\0\1\1\0\x40\x20\x20",
    ],
)
def test_other_bytes_with_nul_are_binary(data: bytes) -> None:
    assert decode(data) is None


@pytest.mark.parametrize(("codec", "text"), TABLE)
def test_an_edit_keeps_the_encoding_and_the_other_bytes(tmp_path, codec, text) -> None:
    files = FileCalls(tmp_path)
    data = f"{text}\r\nold\n{text}".encode(codec)
    (tmp_path / "a.txt").write_bytes(data)

    shown = files.run("read", path="a.txt")
    files.run_approved("edit", path="a.txt", old="old", new="new")

    assert ", guessed" in shown
    assert (tmp_path / "a.txt").read_bytes() == data.replace(b"old", b"new")


def test_a_file_that_cannot_be_written_back_as_it_is_is_read_but_not_edited(tmp_path) -> None:
    data = (
        "ローマ数字".encode("shift_jis") + b"\x87\x90 old \xfa\x4a\n"
    )  # two spellings of one character
    (tmp_path / "a.txt").write_bytes(data)
    files = FileCalls(tmp_path)

    assert "ローマ数字" in files.run("read", path="a.txt")
    assert "would change other bytes" in files.error("edit", path="a.txt", old="old", new="new")
    assert (tmp_path / "a.txt").read_bytes() == data
