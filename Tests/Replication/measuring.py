"""CPU time and memory of processes (Linux)."""
import os
import subprocess
import time

TICKS = os.sysconf("SC_CLK_TCK")


def cpu(process):
    """Seconds of CPU time."""
    with open(f"/proc/{process.pid}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def memory(process, name="VmHWM"):
    """In MB; 0 for a process that has ended."""
    with open(f"/proc/{process.pid}/status") as file:
        return next((int(line.split()[1]) / 1000 for line in file if line.startswith(name)), 0)


class Measured:
    def __init__(self, seconds, most, anonymous):
        self.seconds, self.most, self.anonymous = seconds, most, anonymous

    def __str__(self):
        return f"{self.seconds:.1f} s, at most {self.most:.0f} MB, {self.anonymous:.0f} of them not of files"


def measured(command):
    """Runs a command that has to succeed."""
    began = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    most = anonymous = 0
    while process.poll() is None:
        most = max(most, memory(process))
        anonymous = max(anonymous, memory(process, "RssAnon"))
        time.sleep(0.05)
    if process.returncode != 0:
        raise RuntimeError(f"status {process.returncode}: {process.stderr.read().decode()[-600:]}")
    return Measured(time.monotonic() - began, most, anonymous)
