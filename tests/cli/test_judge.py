"""`isonomy judge` against a real server, good and bad."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path

import polars as pl
import pytest

from isonomy._judge import endpoint
from tests.cli.command import Done, Shell
from tests.judge.hostile import DOCUMENTS, gullible
from tests.judge.server import Asked, JudgeServer, Response, fails, says, serving

KEY = "sk-never-to-be-seen"


@pytest.fixture(autouse=True)
def surroundings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoint, "FIRST_PAUSE", 0.002)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    """Thirty documents; people find every third relevant."""
    path = tmp_path / "docs.csv"
    pl.DataFrame(
        {
            "query": ["007"] * 30,
            "document": [f"document {i}" for i in range(30)],
            "people": [i % 3 == 0 for i in range(30)],
        }
    ).write_csv(path)
    return path


def number(asked: Asked) -> int:
    return int(asked.data["document"].split()[-1])


def is_engagement(asked: Asked) -> bool:
    return "engagement" in asked.body["messages"][0]["content"]


def fair(asked: Asked) -> Response:
    """Every third is relevant, every second engages."""
    return says(json.dumps({"label": int(number(asked) % (2 if is_engagement(asked) else 3) == 0)}))


def judge(shell: Shell, docs: Path, server: JudgeServer | str, *more: object) -> Done:
    url = server if isinstance(server, str) else server.url
    out = docs.parent / "out.csv"
    common = ["--text", "query,document", "--model", "m", "--out", out, "--endpoint", url]
    return shell("judge", docs, *common, *more)


def labelled(docs: Path) -> pl.DataFrame:
    return pl.read_csv(docs.parent / "out.csv", infer_schema_length=None)


def test_one_column_per_question(shell: Shell, docs: Path) -> None:
    with serving(fair) as server:
        done = judge(shell, docs, server, "--human", "relevance=people", "--price", "1,2")
    assert done.code == 0, done.err
    table = labelled(docs)
    assert table.columns == ["query", "document", "people", "relevance", "engagement"]
    assert table["relevance"].to_list() == [int(i % 3 == 0) for i in range(30)]
    assert table["engagement"].to_list() == [int(i % 2 == 0) for i in range(30)]
    # The text of every field is kept.
    assert "007,document 0,true,1,1" in (docs.parent / "out.csv").read_text()
    assert "relevance" in done.out
    assert "people" in done.out
    assert "cost 0.01" in done.out
    assert "isonomy compare" in done.err
    assert {"query": "007", "document": "document 0"} in [asked.data for asked in server.asked]


def test_the_next_command_can_be_pasted(shell: Shell, docs: Path) -> None:
    hostile = "a b; rm -r c"
    pl.read_csv(docs).rename({"document": hostile}).write_csv(docs)
    out = docs.parent / "out of $(rm -r d).csv"
    fields = ["--text", "query", "--text", hostile, "--model", "m", "--out", out]
    with serving(lambda asked: says(json.dumps({"label": len(asked.data[hostile]) % 2}))) as server:
        done = shell("judge", docs, *fields, "--endpoint", server.url, "--ask", "relevance")
    assert done.code == 0, done.err
    (line,) = (each for each in done.err.splitlines() if each.startswith("Next: "))
    words = shlex.split(line.removeprefix("Next: "))
    assert words[:5] == ["isonomy", "compare", str(out), "--labels", "relevance"]
    assert words[5:] == ["--text", f"query,{hostile}"]


def test_agreement_in_json(shell: Shell, docs: Path) -> None:
    with serving(fair) as server:
        done = judge(shell, docs, server, "--human", "people", "--json", "-", "--quiet")
    found = json.loads(done.out)
    assert [(each["judge"], each["reference"]) for each in found["agreements"]] == [
        ("relevance", "people"),
        ("engagement", "people"),
        ("relevance", "engagement"),
    ]
    assert found["agreements"][0]["kappa"] == found["agreements"][0]["auc"] == 1.0
    assert found["agreements"][1]["kappa"] == pytest.approx(0.0, abs=1e-12)
    assert found["tokens_in"] == 6000
    assert done.err == ""


def test_what_is_answered_is_not_asked_again(shell: Shell, docs: Path) -> None:
    with serving(fair) as server:
        judge(shell, docs, server, "--ask", "relevance")
        judge(shell, docs, server)
        done = judge(shell, docs, server)
        assert len(server.asked) == 60
    assert "60 answers are there already; 0 questions are open" in done.err
    assert labelled(docs)["relevance"].null_count() == 0


def test_equal_rows_are_asked_once_and_empty_ones_never(shell: Shell, docs: Path) -> None:
    docs.write_text("query,document\nq,document 3\nq,document 3\n,\nq,document 4\n")
    with serving(fair) as server:
        judge(shell, docs, server, "--ask", "relevance")
    assert len(server.asked) == 2
    assert labelled(docs)["relevance"].to_list() == [1, 1, None, 0]


def test_scores_become_labels_by_a_threshold(shell: Shell, docs: Path) -> None:
    with serving(lambda a: says(f'{{"score": {number(a) % 11}}}')) as server:
        options = ["--ask", "relevance", "--threshold", "relevance=7", "--scale", "0-10"]
        done = judge(shell, docs, server, *options)
        assert done.code == 0, done.err
        assert "from 0 (no, not at all) to\n10" in server.asked[0].body["messages"][0]["content"]
        table = labelled(docs)
        assert table["relevance_score"].to_list() == [i % 11 for i in range(30)]
        assert table["relevance"].to_list() == [int(i % 11 >= 7) for i in range(30)]
        # Another threshold costs nothing.
        options[3] = "relevance=10"
        judge(shell, docs, server, *options)
        assert len(server.asked) == 30
    assert labelled(docs)["relevance"].sum() == 2


def test_several_models_judge_side_by_side(shell: Shell, docs: Path) -> None:
    with serving(fair) as server:
        done = judge(shell, docs, server, "--model", "n", "--ask", "relevance", "--json", "-")
    assert labelled(docs).columns[-2:] == ["relevance_m", "relevance_n"]
    (only,) = json.loads(done.out)["agreements"]
    assert only["kappa"] == 1.0
    assert Counter(asked.body["model"] for asked in server.asked) == {"m": 30, "n": 30}


RUBBISH = [
    "I would say 1",
    "",
    '{"label": "\x1b[2J1"}',
    '{"label": 1}{"label": 0}',
    None,
    f"{KEY} 1",
    "<script>alert(1)</script>",
]


def test_rubbish_is_missing_and_told(shell: Shell, docs: Path) -> None:
    def respond(asked: Asked) -> Response:
        i = number(asked)
        return says(RUBBISH[i]) if i < len(RUBBISH) else fair(asked)

    with serving(respond) as server:
        done = judge(shell, docs, server, "--ask", "relevance")
        assert done.code == 0
        assert labelled(docs)["relevance"].null_count() == len(RUBBISH)
        assert "which is no label" in done.out
        assert "\x1b" not in done.out
        judge(shell, docs, server, "--ask", "relevance")
        assert len(server.asked) == 30
        server.respond = fair
        judge(shell, docs, server, "--ask", "relevance", "--ask-again")
        assert len(server.asked) == 30 + len(RUBBISH)
        # A server that knows its questions by their keys must not take these for old ones.
        assert len(server.n_by_key) == 30 + len(RUBBISH)
    assert labelled(docs)["relevance"].null_count() == 0
    assert_key_is_nowhere(docs.parent, done)


@pytest.mark.parametrize("finish", ["length", "stop"])
def test_a_model_that_never_gives_a_label_is_not_paid_on(
    shell: Shell, tmp_path: Path, finish: str
) -> None:
    docs = tmp_path / "many.csv"
    pl.DataFrame({"query": "q", "document": [f"document {i}" for i in range(300)]}).write_csv(docs)
    with serving(lambda _: says("Well, let me think", finish=finish)) as server:
        done = judge(shell, docs, server, "--ask", "relevance", "--concurrency", "4")
    assert done.code == 2
    assert "the first 50 answers about 'relevance' hold no label" in done.err
    assert "--param max_tokens=4000" in done.err
    assert len(server.asked) < 100
    with serving(lambda _: says('{"label": null}')) as server:
        done = judge(shell, docs, server, "--ask", "relevance")
    assert len(server.asked) == 300
    assert done.code == 1
    assert "No row has a label for relevance" in done.err
    assert "Next:" not in done.err


def test_what_comes_next_gives_no_label_away(shell: Shell, docs: Path) -> None:
    prompt = docs.parent / "fun.txt"
    prompt.write_text("Is it fun?")
    ask = ["--ask", f"what fun={prompt}", "--threshold", "what fun=1", "--human", "people"]
    with serving(lambda asked: says(json.dumps({"score": number(asked) % 3}))) as server:
        done = judge(shell, docs, server, *ask)
    told = "--labels 'what fun' --text query,document --exclude 'people,what fun_score'"
    assert told in done.err


def test_few_questions_and_no_server(shell: Shell, docs: Path) -> None:
    pl.read_csv(docs).head(2).write_csv(docs)
    done = judge(shell, docs, NOWHERE, "--retries", "0")
    assert done.code == 2
    assert "no question got an answer" in done.err
    assert not (docs.parent / "out.csv").exists()


def assert_key_is_nowhere(folder: Path, *runs: Done) -> None:
    for path in folder.iterdir():
        assert KEY.encode() not in path.read_bytes(), path
    for done in runs:
        assert KEY not in done.out + done.err


def test_the_key_is_written_nowhere(shell: Shell, docs: Path) -> None:
    with serving(lambda _: fails(500, f"your key {KEY} is fine")) as server:
        bad = judge(shell, docs, server, "--retries", "0")
    with serving(lambda _: fails(403, f"your key {KEY} is not")) as server:
        worse = judge(shell, docs, server)
    with serving(lambda a: fails(400, KEY) if number(a) == 3 else says(KEY)) as server:
        odd = judge(shell, docs, server)
        plan = judge(shell, docs, server, "--dry-run")
    assert server.asked[0].headers["Authorization"] == f"Bearer {KEY}"
    assert [run.code for run in (bad, worse, odd, plan)] == [2, 2, 1, 0]
    assert_key_is_nowhere(docs.parent, bad, worse, odd, plan)


def test_questions_without_an_answer_are_asked_by_the_next_run(shell: Shell, docs: Path) -> None:
    with serving(lambda a: fails(500, "oops") if number(a) % 10 == 0 else fair(a)) as server:
        done = judge(shell, docs, server, "--retries", "1", "--ask", "relevance")
        assert done.code == 1
        assert "3 questions have no answer" in done.err
        assert labelled(docs)["relevance"].null_count() == 3
        server.respond = fair
        before = len(server.asked)
        assert judge(shell, docs, server, "--ask", "relevance").code == 0
        assert len(server.asked) - before == 3
    assert labelled(docs)["relevance"].null_count() == 0


def test_hostile_documents_get_the_label_they_deserve(shell: Shell, tmp_path: Path) -> None:
    docs = tmp_path / "docs.parquet"
    pl.DataFrame({"query": DOCUMENTS, "document": DOCUMENTS}).write_parquet(docs)
    with serving(lambda a: says(gullible(a.body["messages"]))) as server:
        done = judge(shell, docs, server)
    assert done.code == 0, done.err
    assert server.asked[0].data["document"] in DOCUMENTS
    assert len({a.body["messages"][0]["content"] for a in server.asked}) == 2
    assert labelled(docs)["relevance"].to_list() == [0] * len(DOCUMENTS)


def test_a_dry_run_sends_nothing_and_writes_nothing(shell: Shell, docs: Path) -> None:
    with serving(fair) as server:
        done = judge(shell, docs, server, "--dry-run", "--price", "1,1")
    assert not server.asked
    assert [path.name for path in docs.parent.iterdir()] == ["docs.csv"]
    assert "60 to ask" in done.out
    assert "cost" in done.out
    assert '{"query": "007", "document": "document 0"}' in done.out
    assert shell(
        *("judge", docs, "--text", "document", "--model", "m", "--out", "x.csv", "--dry-run")
    ).out.startswith("30 rows, 2 questions")
    pl.DataFrame({"document": ["same"] * 30}).write_csv(docs)
    assert (
        "30 rows, 2 questions: 2 to ask"
        in shell(
            *("judge", docs, "--text", "document", "--model", "m", "--out", "x.csv", "--dry-run")
        ).out
    )


def test_own_questions_and_fields(shell: Shell, docs: Path) -> None:
    prompt = docs.parent / "fun.txt"
    prompt.write_text("Is it {fun} for %s?")
    with serving(lambda _: says("1")) as server:
        fields = ["--param", "max_tokens=null", "--param", "seed=1", "--param", "user=me"]
        done = judge(shell, docs, server, "--ask", f"fun={prompt}", *fields)
    assert done.code == 0, done.err
    body = server.asked[0].body
    assert body["messages"][0]["content"].startswith("Is it {fun} for %s?")
    assert {name: body[name] for name in body if name not in ("messages", "model")} == {
        "temperature": 0,
        "seed": 1,
        "user": "me",
    }


NOWHERE = "http://127.0.0.1:1/v1"
MISTAKES = [
    (["--ask", "relevanse"], "Did you mean 'relevance'"),
    (["--ask", "relevance=relevance.txt"], "no file relevance.txt. For the one that ships"),
    (["--ask", "query=/dev/null"], "is empty"),
    (["--ask", "relevance", "--ask", "relevance"], "names 'relevance' twice"),
    (["--ask", "=x"], "should read name=file.txt"),
    (["--text", "documant"], "Did you mean 'document'"),
    (["--human", "peeple"], "no column 'peeple'"),
    (["--human", "fun=people"], "'fun' is no question"),
    (["--human", "document"], "should hold 0/1"),
    (["--threshold", "relevance=9"], "should lie above 0 and up to 4"),
    (["--threshold", "fun=9"], "'fun' is no label"),
    (["--scale", "0-10"], "by a threshold"),
    (["--threshold", "relevance=2", "--scale", "4-0"], "should read 0-4"),
    (["--param", "temperature"], "should read name=value"),
    (["--param", "stream=true"], "set by Isonomy itself"),
    (["--price", "1"], "should read IN,OUT"),
    (["--price", "-1,2"], "should read IN,OUT"),
    (["--model", "m"], "names a model twice"),
    (["--answers", "/nowhere/a.jsonl"], "in a folder that exists"),
    (["--endpoint", "here"], "should be a URL"),
    (["--out", "out.xlsx"], "should end in one of"),
    (["--concurrency", "0"], "concurrency"),
]


@pytest.mark.parametrize(("options", "message"), MISTAKES, ids=[" ".join(m[0]) for m in MISTAKES])
def test_mistakes(shell: Shell, docs: Path, options: list[str], message: str) -> None:
    done = judge(shell, docs, NOWHERE, *options)
    assert done.code == 2
    assert message in done.err
    assert "Traceback" not in done.err
    assert [path.name for path in docs.parent.iterdir()] == ["docs.csv"]


def test_columns_that_are_there_already(shell: Shell, docs: Path) -> None:
    prompt = docs.parent / "q.txt"
    prompt.write_text("Is it?")
    done = judge(shell, docs, NOWHERE, "--ask", f"people={prompt}")
    assert done.code == 2
    assert "a column 'people' already" in done.err


def test_an_endpoint_is_needed(shell: Shell, docs: Path) -> None:
    out = docs.parent / "out.csv"
    done = shell("judge", docs, "--text", "document", "--model", "m", "--out", out)
    assert done.code == 2
    assert "--endpoint should name" in done.err


def test_nobody_there_is_told_with_what_is_kept(shell: Shell, docs: Path) -> None:
    done = judge(shell, docs, NOWHERE, "--retries", "0")
    assert done.code == 2
    assert "no connection" in done.err
    assert "0 answers are kept; the same command goes on" in done.err


# A thousand rows, two questions, killed twice.

ROWS, CONCURRENCY, KILLS_AFTER = 1000, 16, (500, 1200)


class Flaky:
    """One in twenty requests fails, each in its own way; answers take a few milliseconds."""

    def __init__(self) -> None:
        self.n = 0

    def __call__(self, asked: Asked) -> Response:
        self.n += 1
        if self.n % 20 == 0:
            kinds = [
                fails(500, "oops"),
                fails(429, "busy", Retry_After="0"),
                Response(b"rubbish", 502),
                Response(b"", 503, broken=True),
            ]
            return kinds[self.n // 20 % len(kinds)]
        return Response(**{**vars(fair(asked)), "delay": 0.004})


def start(docs: Path, server: JudgeServer) -> subprocess.Popen[str]:
    code = "from isonomy.cli import main; main()"
    words = ["judge", docs, "--text", "query,document", "--model", "m", "--endpoint", server.url]
    words += ["--out", docs.parent / "out.csv", "--concurrency", CONCURRENCY]
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, words)],
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "OPENAI_API_KEY": KEY},
    )


def test_killed_twice_every_row_is_answered_once(tmp_path: Path) -> None:
    """None is lost and none paid twice.

    The server counts what it gave. An answer that was on its way when the run was killed is lost to
    it; of a server that knows the Idempotency-Key it is had again for nothing, so the answers that
    are paid for are the different keys. Of any other, at most one for each thread and kill is
    given twice, and only one that was the last on its connection: where a further question came
    by the same connection, the answer before it had been kept.
    """
    docs = tmp_path / "docs.csv"
    documents = [f"document {i}" for i in range(ROWS)]
    pl.DataFrame({"query": "q", "document": documents}).write_csv(docs)
    with serving(Flaky()) as server:
        for after in KILLS_AFTER:
            run = start(docs, server)
            while len(server.given) < after:
                assert run.poll() is None, run.communicate()
                time.sleep(0.002)
            run.kill()
            run.communicate()
            kept = (tmp_path / "out.csv.answers.jsonl").read_bytes().count(b"\n") - 1
            assert kept >= after - len(KILLS_AFTER) * CONCURRENCY
        run = start(docs, server)
        out, err = run.communicate(timeout=120)
    assert run.returncode == 0, err
    table = labelled(docs)
    assert table["relevance"].to_list() == [int(i % 3 == 0) for i in range(ROWS)]
    assert table["engagement"].to_list() == [int(i % 2 == 0) for i in range(ROWS)]
    times = Counter(given.key for given in server.given)
    assert len(times) == 2 * ROWS
    assert len(server.given) - 2 * ROWS <= len(KILLS_AFTER) * CONCURRENCY
    last_number = server.n_by_connection
    by_key = defaultdict(list)
    for given in server.given:
        by_key[given.key].append(given)
    for given in by_key.values():
        for earlier in given[:-1]:
            assert earlier.number == last_number[earlier.connection], "paid twice without need"
    failures = len(server.asked) - len(server.given)
    assert failures >= 0.045 * len(server.asked)
    assert KEY not in out + err
