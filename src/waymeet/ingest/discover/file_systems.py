"""Types of file systems: local ones and those that other machines can change."""

from collections.abc import Iterator
from pathlib import Path

NETWORK_FILE_SYSTEMS = frozenset(
    "nfs nfs4 cifs smb3 smbfs 9p drvfs vboxsf fuse.sshfs fuse.rclone afs ceph glusterfs virtiofs".split()
)
"""File systems that other machines can change without an event."""
LOCAL_FILE_SYSTEMS = frozenset(
    "ext2 ext3 ext4 xfs btrfs f2fs zfs bcachefs jfs reiserfs nilfs2 tmpfs ramfs overlay".split()
)
"""File systems whose changes all pass through this machine's kernel."""


def file_system(folder: str) -> str:
    """Return the type of the file system of a folder, or "" if it is unknown."""
    matching = [(len(mount_point), kind) for mount_point, kind in _mounts() if _is_inside(folder, mount_point)]
    return max(matching, default=(0, ""))[1]


def is_local(folder: str) -> bool:
    """Return whether a folder and everything mounted below it is on local file systems."""
    mounted = [kind for mount_point, kind in _mounts() if mount_point != folder and _is_inside(mount_point, folder)]
    return LOCAL_FILE_SYSTEMS.issuperset((file_system(folder), *mounted))


def _mounts() -> Iterator[tuple[str, str]]:
    """Yield mount points with the type of their file system."""
    try:
        mounts = Path("/proc/self/mounts").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return
    for line in mounts.splitlines():
        _, mount_point, kind, *_ = line.split()
        yield mount_point.replace(r"\040", " "), kind


def _is_inside(path: str, folder: str) -> bool:
    """Return whether a path is a folder or below it.

    >>> _is_inside("/home/me", "/"), _is_inside("/home/me", "/home/me"), _is_inside("/home/me2", "/home/me")
    (True, True, False)
    """
    return path == folder or path.startswith(folder if folder.endswith("/") else f"{folder}/")
