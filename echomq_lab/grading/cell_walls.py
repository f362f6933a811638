"""The inner walls of a seat: its own namespaces inside the room, nothing to write to, no rights, no new processes.

Called in a fork, before a student's first line runs. What is called here is the kernel's, by ctypes: a program that is
started anew for each student, as bubblewrap is, would have to import Python's modules anew as well.

    user, pid, mount, network, IPC, host name    of its own
    /proc                                        empty; the rest of the room is read-only already
    capabilities, new privileges                 none
    fork, clone, exec, socket, ptrace, kill ...  refused by a seccomp filter
    memory, CPU seconds, open files, file size   bounded

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
_NOSUID_NODEV_NOEXEC = 0x2 | 0x4 | 0x8
_PR_SET_DUMPABLE, _PR_SET_SECCOMP, _PR_CAPBSET_DROP, _PR_SET_NO_NEW_PRIVS = 4, 22, 24, 38
_NOBODY = 65534

#: Numbers of the refused system calls, by machine; `clone3` is told to be missing, so that libc falls back.
_REFUSED = {
    "x86_64": {
        "socket": 41, "connect": 42, "bind": 49, "listen": 50, "socketpair": 53, "clone": 56, "fork": 57, "vfork": 58,
        "execve": 59, "kill": 62, "ptrace": 101, "mount": 165, "umount2": 166, "pivot_root": 155, "chroot": 161,
        "tkill": 200, "tgkill": 234, "keyctl": 250, "add_key": 248, "unshare": 272, "perf_event_open": 298,
        "process_vm_readv": 310, "process_vm_writev": 311, "setns": 308, "memfd_create": 319, "bpf": 321,
        "execveat": 322, "userfaultfd": 323, "io_uring_setup": 425, "pidfd_open": 434, "clone3": 435,
    },
    "aarch64": {
        "socket": 198, "connect": 203, "bind": 200, "listen": 201, "socketpair": 199, "clone": 220, "execve": 221,
        "kill": 129, "ptrace": 117, "mount": 40, "umount2": 39, "pivot_root": 41, "chroot": 51, "tkill": 130,
        "tgkill": 131, "keyctl": 219, "add_key": 217, "unshare": 97, "perf_event_open": 241, "process_vm_readv": 270,
        "process_vm_writev": 271, "setns": 268, "memfd_create": 279, "bpf": 280, "execveat": 281, "userfaultfd": 282,
        "io_uring_setup": 425, "pidfd_open": 434, "clone3": 435,
    },
}  # fmt: skip
_AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_ALLOW, _REFUSE, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_EPERM = 1


@dataclass(frozen=True, slots=True)
class Limits:
    """What one seat may take: bytes of memory beside what is loaded, CPU seconds, open files."""

    memory: int = 1 << 29
    cpu_s: int = 40
    files: int = 64


def own_namespaces() -> None:
    """Enter namespaces of one's own; the next fork is the first process of the new ones. Raises `OSError`."""
    uid, gid = os.getuid(), os.getgid()
    _call("unshare", _libc().unshare(_NAMESPACES))
    for name, text in (("setgroups", "deny"), ("uid_map", f"{_NOBODY} {uid} 1"), ("gid_map", f"{_NOBODY} {gid} 1")):
        with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
            file.write(text)


def close_in(limits: Limits) -> None:
    """Put up the walls around this process, the first of its namespaces. Raises `OSError` when one does not stand."""
    libc = _libc()
    # Of the processes in the room nothing is seen: an empty folder lies over what the kernel would tell.
    _call("mount /proc", libc.mount(b"tmpfs", b"/proc", b"tmpfs", _NOSUID_NODEV_NOEXEC | 0x1, b"size=4k,nr_inodes=2"))
    os.chdir("/")
    for kind, most in (
        (resource.RLIMIT_AS, _taken() + limits.memory),
        (resource.RLIMIT_CPU, limits.cpu_s),
        (resource.RLIMIT_NOFILE, limits.files),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NPROC, 0),
        (resource.RLIMIT_MSGQUEUE, 0),
        (resource.RLIMIT_MEMLOCK, 0),
    ):
        resource.setrlimit(kind, (most, most))
    _drop_rights()
    _prctl(_PR_SET_DUMPABLE, 0)
    _prctl(_PR_SET_NO_NEW_PRIVS, 1)
    _filter()


def _taken() -> int:
    """The address space that is in use, in bytes, as it was before /proc was covered."""
    return _TAKEN


def measure() -> None:
    """Note how much address space this process has, while /proc still tells."""
    global _TAKEN
    with open("/proc/self/statm", encoding="ascii") as statm:
        _TAKEN = int(statm.read().split()[0]) * resource.getpagesize()


_TAKEN = 1 << 30


def _drop_rights() -> None:
    for capability in range(64):
        _libc().prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0)
    header = struct.pack("=Ii", 0x20080522, 0)
    _call("capset", _libc().capset(header, struct.pack("=6I", *[0] * 6)))


def _filter() -> None:
    """Refuse what a student's code has no use for; another machine's calls end the process."""
    machine = platform.machine()
    numbers = _REFUSED[machine]
    # Load the architecture, compare; load the number, compare with each refused one.
    code = [(0x20, 0, 0, 4), (0x15, 1, 0, _AUDIT_ARCH[machine]), (0x06, 0, 0, _KILL), (0x20, 0, 0, 0)]
    if machine == "x86_64":
        code += [(0x35, 0, 1, 0x40000000), (0x06, 0, 0, _KILL)]  # the x32 calls
    for number in numbers.values():
        code += [(0x15, 0, 1, number), (0x06, 0, 0, _REFUSE | (38 if number == 435 else _EPERM))]
    code.append((0x06, 0, 0, _ALLOW))
    program = b"".join(struct.pack("=HBBI", *step) for step in code)
    held = ctypes.create_string_buffer(program)

    class Program(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))

    whole = Program(len(code), ctypes.addressof(held))
    _call("seccomp", _libc().prctl(_PR_SET_SECCOMP, 2, ctypes.byref(whole), 0, 0))


def _prctl(option: int, value: int) -> None:
    _call(f"prctl {option}", _libc().prctl(option, value, 0, 0, 0))


def _call(what: str, answer: int) -> None:
    if answer != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)
