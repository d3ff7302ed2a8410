"""What goes wrong on a Dask cluster, once more with the other faults, so that the last result of each is kept beside theirs."""

from __future__ import annotations

from tests.engines.test_dask_faults import (  # noqa: F401
    client,
    path,
    test_a_file_that_changes_under_the_workers_is_named,
    test_a_scheduler_that_dies_gives_an_error_within_its_timeout,
    test_a_task_that_always_fails_is_reported_with_its_part,
    test_a_worker_killed_in_the_middle_of_a_pass_changes_no_digit,
    test_a_worker_over_its_memory_gives_the_answer_or_an_error,
)
from tests.faults.corpus import slow

pytestmark = slow
