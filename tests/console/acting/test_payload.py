"""A payload is edited as text, compared, and replaced only if it is still what was shown."""

from __future__ import annotations

import pytest

from echomq_admin.console.acting.differences import differences
from echomq_admin.console.acting.payload import editable
from tests.console.scene import A, B, dump, text
from tests.console.walking import fields_of

VERB = "update_payload"
URL = f"/q/prod/orders/{VERB}"


@pytest.fixture
def job(scene):
    scene.pending(A, attempts=2, payload='{"to": "ann", "n": 1.10}')
    return scene


def compare(asked, payload: str):
    """What the button that shows the change answers."""
    return asked.send(payload=payload, compare="on")


def test_the_change_is_shown_before_it_is_sent(job, asking):
    shown = asking("admin", VERB, A, seen="2:0")
    assert "Show what would change" in shown.says
    before = dump(job.store)
    compared = compare(shown, '{"to": "bob", "n": 1.10}')
    assert dump(job.store) == before
    assert "What would change" in compared.says
    assert '{"to": "<mark>ann</mark>", "n": 1.10}' in compared.html.replace("&quot;", '"')
    assert '{"to": "<mark>bob</mark>", "n": 1.10}' in compared.html.replace("&quot;", '"')
    answer = compared.send()
    assert f"payload of {A} replaced, 24 bytes" in answer.says
    assert job.field(A, "payload") == b'{"to": "bob", "n": 1.10}'


def test_a_text_that_was_not_compared_is_compared_first(job, asking):
    shown = asking("admin", VERB, A, seen="2:0")
    answer = shown.send(payload="other")
    assert answer.asks_again
    assert "What would change" in answer.says
    compared = compare(shown, "one")
    answer = compared.send(payload="another one")
    assert "What is asked is not what was shown" in answer.says
    assert answer.fields["payload"] == "another one"
    assert job.field(A, "payload") == b'{"to": "ann", "n": 1.10}'


def test_a_payload_that_was_changed_meanwhile_is_not_overwritten_and_the_text_stays(job, asking):
    compared = compare(asking("admin", VERB, A, seen="2:0"), "mine")
    job.store.hset(job.key(f"job:{A}"), "payload", "theirs")
    answer = compared.send()
    assert f"The payload of {A} was changed meanwhile" in answer.says
    assert "The payload was changed since you began." not in answer.says
    assert "what you typed is compared with the payload as it is now" in answer.says
    assert "theirs" in answer.html
    assert answer.fields["payload"] == "mine"
    assert job.field(A, "payload") == b"theirs"
    assert "replaced" in answer.send().says
    assert job.field(A, "payload") == b"mine"


def test_a_job_that_was_claimed_since_keeps_its_payload_and_the_text_stays(job, asking):
    compared = compare(asking("admin", VERB, A, seen="2:0"), "mine")
    job.store.hset(job.key(f"job:{A}"), "attempts", 3)
    answer = compared.send()
    assert "its attempts are 3, no longer 2" in answer.says
    assert ">\nmine</textarea>" in answer.html
    assert job.field(A, "payload").startswith(b"{")


def test_a_job_that_is_gone_says_so_and_keeps_the_text(job, asking):
    compared = compare(asking("admin", VERB, A, seen="2:0"), "mine")
    job.store.delete(job.key(f"job:{A}"))
    answer = compared.send()
    assert "Its row is missing" in answer.says
    assert ">\nmine</textarea>" in answer.html
    assert job.store.exists(job.key(f"job:{A}")) == 0


def test_an_unchanged_text_has_nothing_to_replace(job, asking):
    answer = compare(asking("admin", VERB, A), '{"to": "ann", "n": 1.10}')
    assert "There is nothing to replace." in answer.says
    assert 'name="shown"' not in answer.html


@pytest.mark.parametrize(
    "payload",
    [
        "\n\n a\n",
        "",
        " ",
        "</textarea><script>1</script>",
        "ü𝄞 \u202e",
        "a\tb",
        "&amp;&lt;",
        "x" * 90_000,
    ],
    ids=["line breaks", "empty", "blank", "markup", "beyond ascii", "tab", "entities", "long"],
)  # fmt: skip
def test_what_is_not_changed_comes_back_byte_for_byte(scene, asking, payload):
    scene.pending(A, payload=payload)
    shown = asking("admin", VERB, A)
    typed = str(shown.fields["payload"])
    assert typed == payload
    # A browser sends CRLF for each line break.
    compare(shown, (typed + "!").replace("\n", "\r\n")).send()
    assert scene.field(A, "payload") == (payload + "!").encode()


def test_line_breaks_of_carriage_return_and_line_feed_stay(scene, asking):
    scene.pending(A, payload="a\r\nb\r\n")
    shown = asking("admin", VERB, A)
    assert "Its line breaks are CRLF; they stay so." in shown.says
    compare(shown, "a\r\nc\r\n").send()
    assert scene.field(A, "payload") == b"a\r\nc\r\n"


@pytest.mark.parametrize(
    "payload",
    [
        b"\x80\x04\x95\xff",
        b"a\rb",
        b"a\r\nb\nc",
        b"a\x00b",
        b"a\x1bb" + b"c" * 90,
        b"\xef\xbb\xbfa",
    ],
    ids=["no UTF-8", "CR", "mixed line breaks", "NUL", "control", "byte order mark"],
)  # fmt: skip
def test_what_a_form_would_not_bring_back_is_not_edited(scene, asking, payload):
    scene.pending(A, payload=payload)
    assert editable(payload) is None
    shown = asking("admin", VERB, A)
    assert "Its payload cannot be edited as text" in shown.says
    assert f'href="/q/prod/orders/job/{A}/raw"' in shown.html
    assert "--payload=-" in shown.says
    assert "<textarea" not in shown.html


def test_a_long_payload_is_not_edited_here(scene, asking):
    scene.pending(A, payload="x" * 200_001)
    shown = asking("admin", VERB, A)
    assert "Its payload is 200.0 kB long; up to 200.0 kB can be edited here." in shown.says


def test_broken_json_is_told_before_it_is_sent(job, asking):
    shown = asking("admin", VERB, A)
    assert "What is typed is none: " in compare(shown, '{"to": }').says
    assert "What is typed is none" not in compare(shown, "[]").says


def test_it_is_a_page_of_its_own_also_for_the_script_of_a_list(job, browser):
    answer = browser("admin").get(
        f"{URL}?only=2:0:{A}&back=job", headers={"HX-Request": "true", "HX-Target": "dialog"}
    )
    assert answer["HX-Redirect"] == f"{URL}?only=2%3A0%3A{A}&back=job"
    page = browser("admin").get(answer["HX-Redirect"]).content.decode()
    assert "hx-post" not in page.split('<form class="ask"')[1].split("</form>")[0]
    assert fields_of(page)["back"] == "job"


def test_the_answer_leads_back_to_the_job(job, browser):
    who = browser("admin")
    html = who.get(f"{URL}?only=2:0:{A}&back=job").content.decode()
    html = who.post(URL, fields_of(html) | {"payload": "x", "compare": "on"}).content.decode()
    answer = who.post(URL, fields_of(html), follow=True)
    assert answer.redirect_chain[0][0].startswith(f"/q/prod/orders/job/{A}?did=")
    assert f"payload of {A} replaced" in text(answer.content.decode())


def test_only_the_named_job_changes(job, asking):
    job.pending(B, payload="theirs")
    compare(asking("admin", VERB, A), "x").send()
    assert job.field(B, "payload") == b"theirs"


@pytest.mark.parametrize(
    ("old", "new", "kinds"),
    [
        ("a", "a", ""),
        ("a\nb\nc", "a\nB\nc", "same old new same"),
        ("a", "a\nb", "same new"),
        ("a\nb", "b", "old same"),
        ("\n".join("abcdefg"), "\n".join("abcdefG"), "gap same same old new"),
        ("a\nb\nc\nd\ne\nf\ng\nh", "A\nb\nc\nd\ne\nf\ng\nH",
         "old new same same gap same same old new"),
        ("x\n" * 2_000, "y\n" * 2_000, " ".join(["old"] * 300 + ["gap"] + ["new"] * 300
                                                 + ["gap", "same"])),
    ],
)  # fmt: skip
def test_lines_are_told_apart(old, new, kinds):
    assert " ".join(line.kind for line in differences(old, new)) == kinds


def test_of_a_long_line_only_what_differs_is_shown_whole():
    old, new = differences("a" * 500 + "1" + "b" * 500, "a" * 500 + "22" + "b" * 500)
    assert (old.changed, new.changed) == ("1", "22")
    assert old.before == "…" + "a" * 60
    assert old.after == "b" * 60 + "…"


def test_nothing_hides_in_a_difference():
    _, new = differences("a", "a\u202e\x00\t\r")
    assert new.changed == "\\u202e\\x00\\t\\r"
