"""Labels from language models: questions, their answers, and how well judges agree."""

from __future__ import annotations

from isonomy._judge.agreement import Agreement, Judge, agreement
from isonomy._judge.answer_file import Answer, AnswerFile, AnswerFileError
from isonomy._judge.asking import Answered, Failed, Outcome, ask_all
from isonomy._judge.endpoint import Endpoint, EndpointError
from isonomy._judge.questions import Question, Request, shipped_prompts
from isonomy._judge.readings import Reading, Scale, read_answer
