"""Calls the kernel as a program of 32 bits does, whose numbers are others: the kernel ends the process.

exercise: 1.2
status: crashed
earned: 0
says: The answer cell was stopped: the process that ran it ended
"""

import ctypes
import mmap
import platform

code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
# mov eax, 2 (fork); int 0x80; ret
code.write(b"\xb8\x02\x00\x00\x00\xcd\x80\xc3" if platform.machine() == "x86_64" else bytes(4))
ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))()
