"""Files that hold the old text or the new one after a crash, never a part."""

from __future__ import annotations

import os
import uuid


def replace_file(path: str, text: str) -> None:
    """Replaces a file as a whole. The text is on the disk when this returns; only its owner may read the file.

    Raises:
        OSError: the file is as it was.
    """
    target = os.path.realpath(path)
    fresh = f"{target}.{uuid.uuid4()}.new"
    try:
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(fresh, target)
    except BaseException:
        _remove(fresh)
        raise
    _sync_directory(os.path.dirname(target))


def make_private_directory(path: str) -> None:
    """Makes a directory that only its owner may enter, and proves that a file can be made in it.

    Raises:
        OSError: it can't be made or written.
    """
    os.makedirs(path, mode=0o700, exist_ok=True)
    probe = os.path.join(path, f".write-test-{os.getpid()}")
    os.close(os.open(probe, os.O_WRONLY | os.O_CREAT, 0o600))
    os.remove(probe)


def _remove(path: str) -> None:
    try:
        os.remove(path)
    except OSError:
        pass


def _sync_directory(path: str) -> None:
    """Flushes the directory. Without it a power failure may bring the old file back. Not every system supports it."""
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(descriptor)
    except OSError:
        pass
    finally:
        os.close(descriptor)
