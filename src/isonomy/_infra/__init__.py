"""What has nothing to do with ranking: files, extras, threads, warnings, progress."""

from __future__ import annotations

from isonomy._infra.atomic import check_writable, real_path, replacing, write_whole
from isonomy._infra.blas import one_blas_thread
from isonomy._infra.extras import LazyModule, first_missing, missing_text, require
from isonomy._infra.forked import safe_threads
from isonomy._infra.jsonable import from_jsonable, jsonable
from isonomy._infra.memory import memory_limit
from isonomy._infra.names import listed, short_names
from isonomy._infra.printable import is_text, printable, printable_lines
from isonomy._infra.progress_bar import bars_shown, progress
from isonomy._infra.thread_warnings import collected_warnings, warnings_by_thread
from isonomy._infra.threads import chunks, default_threads, run, run_all, segment_chunks
from isonomy._infra.unfinished import remove_unfinished, scratch_folder
from isonomy._infra.warn import warn_user
