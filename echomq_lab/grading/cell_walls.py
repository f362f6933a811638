"""The inner walls of a seat: its own namespaces inside the room, nothing to write to, no rights, few system calls.

Called in a fork, before a student's first line runs. What is called here is the kernel's, by ctypes: a program that is
started anew for each student, as bubblewrap is, would have to import Python's modules anew as well.

    user, pid, mount, network, IPC, host name    of its own
    /proc, /run                                  empty; the rest of the room is read-only already
    capabilities, new privileges                 none
    system calls                                 those by which Python computes, reads files and talks on its two lines
    memory, CPU seconds, open files, file size   bounded; when the machine is out of memory, a seat is the first to go

Source: grading, "Isolation on Linux by namespaces".
"""

from __future__ import annotations

import ctypes
import os
import platform
import resource
import struct
from dataclasses import dataclass

_NAMESPACES = 0x00020000 | 0x04000000 | 0x08000000 | 0x10000000 | 0x20000000 | 0x40000000
_RDONLY, _NOSUID_NODEV_NOEXEC = 0x1, 0x2 | 0x4 | 0x8
_PR_SET_DUMPABLE, _PR_SET_SECCOMP, _PR_CAPBSET_DROP, _PR_SET_NO_NEW_PRIVS = 4, 22, 24, 38
_NOBODY = 65534

#: The system calls that are allowed, with their numbers on x86_64 and aarch64 (None: it has no such call). All others
#: are refused, among them every way to start a process or a thread, to open a socket, to send a signal or a file, to
#: share memory, to change what is mounted: also those that a later kernel will have.
_ALLOWED: dict[str, tuple[int | None, int | None]] = {
    "read": (0, 63), "write": (1, 64), "close": (3, 57), "open": (2, None), "openat": (257, 56), "lseek": (8, 62),
    "stat": (4, None), "fstat": (5, 80), "lstat": (6, None), "newfstatat": (262, 79), "statx": (332, 291),
    "statfs": (137, 43), "fstatfs": (138, 44), "access": (21, None), "faccessat": (269, 48), "faccessat2": (439, 439),
    "readlink": (89, None), "readlinkat": (267, 78), "getdents": (78, None), "getdents64": (217, 61),
    "pread64": (17, 67), "readv": (19, 65), "writev": (20, 66), "getcwd": (79, 17), "chdir": (80, 49),
    "dup": (32, 23), "dup2": (33, None), "dup3": (292, 24), "pipe": (22, None), "pipe2": (293, 59),
    "poll": (7, None), "ppoll": (271, 73), "select": (23, None), "pselect6": (270, 72),
    "epoll_create1": (291, 20), "epoll_ctl": (233, 21), "epoll_wait": (232, None), "epoll_pwait": (281, 22),
    "mmap": (9, 222), "mprotect": (10, 226), "munmap": (11, 215), "mremap": (25, 216), "madvise": (28, 233),
    "brk": (12, 214), "rt_sigaction": (13, 134), "rt_sigprocmask": (14, 135), "rt_sigreturn": (15, 139),
    "sigaltstack": (131, 132), "alarm": (37, None), "setitimer": (38, 103), "getitimer": (36, 102),
    "pause": (34, None), "restart_syscall": (219, 128), "sendto": (44, 206), "recvfrom": (45, 207),
    "shutdown": (48, 210), "getsockname": (51, 204), "getpeername": (52, 205), "getsockopt": (55, 209),
    "setsockopt": (54, 208), "futex": (202, 98), "set_robust_list": (273, 99), "rseq": (334, 293),
    "set_tid_address": (218, 96), "sched_yield": (24, 124), "sched_getaffinity": (204, 123), "arch_prctl": (158, None),
    "nanosleep": (35, 101), "clock_nanosleep": (230, 115), "clock_gettime": (228, 113), "clock_getres": (229, 114),
    "gettimeofday": (96, 169), "time": (201, None), "times": (100, 153), "getpid": (39, 172), "getppid": (110, 173),
    "gettid": (186, 178), "getuid": (102, 174), "geteuid": (107, 175), "getgid": (104, 176), "getegid": (108, 177),
    "getresuid": (118, 148), "getresgid": (120, 150), "getgroups": (115, 158), "getpgrp": (111, None),
    "getpgid": (121, 155), "getsid": (124, 156), "uname": (63, 160), "sysinfo": (99, 179), "getrusage": (98, 165),
    "getrlimit": (97, 163), "prlimit64": (302, 261), "getrandom": (318, 278), "umask": (95, 166), "getcpu": (309, 168),
    "exit": (60, 93), "exit_group": (231, 94),
}  # fmt: skip
#: Two calls are many in one: of those only what a file or a line of one's own is handled by.
_IN_PARTS: dict[tuple[int, int], tuple[int, ...]] = {
    (72, 25): (0, 1, 2, 3, 4, 1030),  # fcntl: F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD_CLOEXEC
    (16, 29): (
        0x5401,
        0x5413,
        0x541B,
        0x5421,
        0x5450,
        0x5451,
    ),  # ioctl: TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIO(N)CLEX
}
#: Told to be missing, so that libc falls back on another call.
_MISSING = (435, 435)  # clone3
_MACHINES = ("x86_64", "aarch64")
_AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_ALLOW, _REFUSE, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_EPERM, _ENOSYS = 1, 38
_LOAD, _EQUAL, _ANSWER = 0x20, 0x15, 0x06
_AT_NUMBER, _AT_ARCH, _AT_SECOND = 0, 4, 24


@dataclass(frozen=True, slots=True)
class Limits:
    """What one seat may take: bytes of memory beside what is loaded, CPU seconds, open files."""

    memory: int = 1 << 29
    cpu_s: int = 40
    files: int = 64


def missing() -> str:
    """Why these walls cannot be put up on this machine, in words; empty where they can."""
    machine = platform.machine()
    if machine in _MACHINES:
        return ""
    return f"isolation knows the system calls of {' and '.join(_MACHINES)}, not of {machine}; or pass --no-isolation"


def own_namespaces() -> int:
    """Enter namespaces of one's own; the next fork is the first process of the new ones. Raises `OSError`.

    Answers how many bytes of address space are in use: later nothing tells.
    """
    uid, gid = os.getuid(), os.getgid()
    with open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:
        file.write("1000")
    _call("unshare", _libc().unshare(_NAMESPACES))
    for name, text in (("setgroups", "deny"), ("uid_map", f"{_NOBODY} {uid} 1"), ("gid_map", f"{_NOBODY} {gid} 1")):
        with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
            file.write(text)
    with open("/proc/self/statm", encoding="ascii") as statm:
        return int(statm.read().split()[0]) * resource.getpagesize()


def close_in(limits: Limits, taken: int) -> None:
    """Put up the walls around this process, the first of its namespaces. Raises `OSError` when one does not stand.

    `taken` is the address space that is in use, in bytes.
    """
    # Of the processes in the room nothing is seen, nor what it wrote as it began: empty folders lie over both.
    for place in (b"/proc", b"/run"):
        flags = _NOSUID_NODEV_NOEXEC | _RDONLY
        _call("mount", _libc().mount(b"tmpfs", place, b"tmpfs", flags, b"size=4k,nr_inodes=2"))
    os.chdir("/")
    for kind, most in (
        (resource.RLIMIT_AS, taken + limits.memory),
        (resource.RLIMIT_CPU, limits.cpu_s),
        (resource.RLIMIT_NOFILE, limits.files),
        *((kind, 0) for kind in (resource.RLIMIT_FSIZE, resource.RLIMIT_CORE, resource.RLIMIT_NPROC)),
        *((kind, 0) for kind in (resource.RLIMIT_MSGQUEUE, resource.RLIMIT_MEMLOCK)),
    ):
        resource.setrlimit(kind, (most, most))
    _drop_rights()
    _prctl(_PR_SET_DUMPABLE, 0)
    _prctl(_PR_SET_NO_NEW_PRIVS, 1)
    _filter(platform.machine())


def _drop_rights() -> None:
    for capability in range(64):
        _libc().prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0)
    header = struct.pack("=Ii", 0x20080522, 0)
    _call("capset", _libc().capset(header, struct.pack("=6I", *[0] * 6)))


def program(machine: str) -> list[tuple[int, int, int, int]]:
    """The filter of system calls, as the kernel's steps: (operation, skip if true, skip if not, operand)."""
    column = _MACHINES.index(machine)
    steps = [(_LOAD, 0, 0, _AT_ARCH), (_EQUAL, 1, 0, _AUDIT_ARCH[machine]), (_ANSWER, 0, 0, _KILL)]
    steps.append((_LOAD, 0, 0, _AT_NUMBER))
    for numbers in _ALLOWED.values():
        if (number := numbers[column]) is not None:
            steps += [(_EQUAL, 0, 1, number), (_ANSWER, 0, 0, _ALLOW)]
    steps += [(_EQUAL, 0, 1, _MISSING[column]), (_ANSWER, 0, 0, _REFUSE | _ENOSYS)]
    for numbers, parts in _IN_PARTS.items():
        steps += [(_EQUAL, 0, 2 * len(parts) + 2, numbers[column]), (_LOAD, 0, 0, _AT_SECOND)]
        for part in parts:
            steps += [(_EQUAL, 0, 1, part), (_ANSWER, 0, 0, _ALLOW)]
        steps.append((_ANSWER, 0, 0, _REFUSE | _EPERM))
    return [*steps, (_ANSWER, 0, 0, _REFUSE | _EPERM)]


def _filter(machine: str) -> None:
    """Let no other system calls through; those of another architecture end the process."""
    steps = program(machine)
    held = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *step) for step in steps))

    class Program(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))

    whole = Program(len(steps), ctypes.addressof(held))
    _call("seccomp", _libc().prctl(_PR_SET_SECCOMP, 2, ctypes.byref(whole), 0, 0))


def _prctl(option: int, value: int) -> None:
    _call(f"prctl {option}", _libc().prctl(option, value, 0, 0, 0))


def _call(what: str, answer: int) -> None:
    if answer != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)
