"""Marks for a class: every submission in a sandbox, every exercise judged by the checks that students know.

    collect      what is in the folder of a class: students (naming, roster), files (archive, notebook), faults
    cells        a student's notebook beside the released one (dives): what to run (needs), and what to remark
    room         the sandbox; `inside`, `seat` and `cell_walls` are its inner side
    store        runs on the submission's own Valkey
    grade        one submission: a `Graded`
    run          a class: a crew of workers, progress, results whole or not at all (out), resuming
    pages, exports, report    what comes out

Source: grading.
"""
