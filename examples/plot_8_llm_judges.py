"""
Labels from a language model
============================

No labels, but texts: a language model judges each document twice, for *relevance* to its query and
for how *engaging* it is. One ranking should serve both: the paper's illustration, on made-up texts.

This page is built without a network, so a few lines of Python play the model, behind a real HTTP
server that speaks as OpenAI's does. With a model of yours only ``--endpoint`` changes.
"""

# %%
# Texts
# -----
# Documents are about the query or not, and well written or not.
import json
import random
import subprocess
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import polars as pl

import isonomy as iso

TOPICS = ["bees", "bread", "bridges", "comets", "glaciers", "opera"]
ABOUT = ["how {t} came to be", "the parts of {t}", "why {t} matter", "what harms {t}", "{t} today"]
DULL = ["it is noted that", "as mentioned above", "in this regard", "various aspects exist"]
LIVELY = ["picture this", "here is the surprise", "try it tonight", "nobody expected it"]


def write(rng, topic):
    """A query and a document whose topic and style are drawn."""
    on_topic, style = rng.random() < 0.4, rng.random() < 0.08
    about = topic if on_topic else rng.choice(TOPICS)
    parts = [rng.choice(ABOUT).format(t=about) for _ in range(3)]
    lively = 0.9 if style else 0.05
    parts += [rng.choice(LIVELY if rng.random() < lively else DULL) for _ in range(3)]
    rng.shuffle(parts)
    text = ", ".join(parts)
    return {"query": f"all about {topic}", "document": text, "people": int(about == topic)}


rng = random.Random(0)
docs = pl.DataFrame([write(rng, rng.choice(TOPICS)) for _ in range(1_000)])
print(docs["document"][0])


# %%
# A stand-in for the model
# ------------------------
# It reads the question and the quoted data, is wrong now and then, and now and then just chats.
def opinion(question, data):
    """What a model might answer."""
    rng = random.Random(question + data["document"])
    if rng.random() < 0.01:
        return "What a lovely document!"
    topic = data["query"].split()[-1]
    relevant = data["document"].count(topic) >= 2
    engaging = sum(data["document"].count(words) for words in LIVELY) >= 2
    yes = engaging if "engagement" in question else relevant
    return json.dumps({"label": int(yes != (rng.random() < 0.03))})


class Model(BaseHTTPRequestHandler):
    """Chat completions, as OpenAI's server has them."""

    protocol_version = "HTTP/1.1"

    def do_POST(self):
        """Answer a question."""
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        system, user = (message["content"] for message in body["messages"])
        text = opinion(system, json.loads(user.splitlines()[1]))
        usage = {"prompt_tokens": len(system + user) // 4, "completion_tokens": 5}
        choice = {"message": {"content": text}, "finish_reason": "stop"}
        reply = json.dumps({"choices": [choice], "usage": usage}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)

    def log_message(self, *_):
        """Be quiet."""


server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
threading.Thread(target=server.serve_forever, daemon=True).start()

# %%
# ``isonomy judge``
# -----------------
# The prompts are those that ship. Texts are quoted, so that a document cannot give orders; answers
# that are no label become missing values; a killed run would go on where it was.
folder = Path(tempfile.mkdtemp())
docs.write_parquet(folder / "docs.parquet")
command = (
    f"isonomy judge docs.parquet --text query,document --out labelled.parquet --model stand-in "
    f"--endpoint http://127.0.0.1:{server.server_port}/v1 --price 0.15,0.60 "
    f"--human relevance=people --quiet"
)
run = [sys.executable, "-c", "from isonomy.cli import main; main()", *command.split()[1:]]
print(subprocess.run(run, cwd=folder, capture_output=True, text=True, check=True).stdout)

# %%
# One ranking for both
# --------------------
# From the words of the documents, by a model that never sees the judge.
labelled = pl.read_parquet(folder / "labelled.parquet").drop_nulls(["relevance", "engagement"])
Y = labelled[["relevance", "engagement"]]
words = sorted({word for text in labelled["document"] for word in text.replace(",", "").split()})
topic = labelled["query"].str.split(" ").list.last()
X = np.array([[text.count(word) for word in words] for text in labelled["document"]], float)
same = np.array([d.count(t) for d, t in zip(labelled["document"], topic, strict=True)], float)
X = np.column_stack([X, same])
half = len(X) // 2


def ranked_by(objective):
    """Scores of the second half, by a model of the first."""
    return iso.LinearRanker(objective, l2=1e-3).fit(X[:half], Y[:half]).predict(X[half:])


front = [ranked_by(iso.LossAggregation([1.0, a])) for a in np.geomspace(1 / 30, 30, 9)]
named = {
    "equal losses": iso.LossAggregation(),
    "labels added up": iso.LabelAggregation(),
    "worst label": iso.WorstLabel(),
}
scores = {name: ranked_by(objective) for name, objective in named.items()}

figure, axes = plt.subplots(figsize=(6.5, 4))
path = np.array([iso.label_aucs(Y[half:], score) for score in front])
axes.plot(*path.T, "-", color="#999999", label="loss weights from 1:30 to 30:1")
for (name, score), colour in zip(scores.items(), ["#b5481e", "#2b5c8a", "#3c7d3c"], strict=True):
    relevance, engagement = iso.label_aucs(Y[half:], score)
    axes.plot(relevance, engagement, "o", markersize=9, color=colour, label=name)
    print(f"{name:16} relevance {relevance:.3f}, engagement {engagement:.3f}")
axes.set(xlabel="AUC of relevance", ylabel="AUC of engagement")
axes.legend(frameon=False)
axes.spines[["top", "right"]].set_visible(False)
figure.tight_layout()
server.shutdown()

# %%
# What the command line says of the same table, in one line:
# ``isonomy compare labelled.parquet --labels relevance,engagement --text query,document``.
