"""What the stepper shows for each order."""

crash_order = {
    "enqueue, then advance": "repeats",
    "advance, then enqueue": "loses",
}
