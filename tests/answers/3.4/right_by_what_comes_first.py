"""What comes first is done when the pump dies: a job that is made again, or an entry that has moved on."""

of_the_first = {"enqueue": "repeats", "advance": "loses"}
crash_order = {}
for first, second in (("advance", "enqueue"), ("enqueue", "advance")):
    crash_order[f"{first}, then {second}"] = of_the_first[first]
