"""Encryption of backup files: a key from a passphrase (scrypt), and each frame sealed with AES-256-GCM.

Both come from the package `cryptography`. Each frame has a random nonce and is bound to its place in its file, so that
frames cannot be changed, exchanged, left out or taken from another file.
"""

import os
from typing import Protocol

from uac.errors import Damaged, Refused

__all__ = ["ENCRYPTED", "KEY_BYTES", "Cipher", "frame_cipher", "new_key_parameters"]

ENCRYPTED = b"uac backup 1 encrypted\n"
KEY_BYTES = 17
"""How many bytes of a file say how its key is made: the cost of scrypt as a power of two, and 16 bytes of salt."""

COST = 17
"""2¹⁷ steps of scrypt take 128 MB of memory and some tenths of a second."""
MAX_COST = 20
NONCE = 12


class Cipher(Protocol):
    """Seals and opens the frames of one file."""

    def seal(self, number: int, data: bytes) -> bytes: ...
    def open(self, number: int, data: bytes) -> bytes: ...


def new_key_parameters() -> bytes:
    return bytes([COST]) + os.urandom(KEY_BYTES - 1)


def frame_cipher(passphrase: str, parameters: bytes) -> Cipher:
    """The cipher of a file with these parameters. Refused if the package `cryptography` is missing."""
    if not passphrase:
        raise Refused("backup: The passphrase is empty. Give one, or set UAC_BACKUP_PASSPHRASE.")
    cost = parameters[0]
    if not 1 <= cost <= MAX_COST:
        raise Damaged(f"The backup was altered: its key has cost {cost}, and {MAX_COST} is the highest.")
    try:
        from cryptography.hazmat.primitives.kdf.scrypt import Scrypt
    except ImportError:
        raise Refused("backup: Encryption needs another package. Run: pip install 'user-as-code[backup]'") from None
    key = Scrypt(salt=parameters[1:], length=32, n=1 << cost, r=8, p=1).derive(passphrase.encode())
    return _AesGcm(key, ENCRYPTED + parameters)


class _AesGcm:
    def __init__(self, key: bytes, file: bytes) -> None:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        self._cipher = AESGCM(key)
        self._file = file

    def seal(self, number: int, data: bytes) -> bytes:
        nonce = os.urandom(NONCE)
        sealed: bytes = self._cipher.encrypt(nonce, data, self._place(number))
        return nonce + sealed

    def open(self, number: int, data: bytes) -> bytes:
        from cryptography.exceptions import InvalidTag

        try:
            opened: bytes = self._cipher.decrypt(data[:NONCE], data[NONCE:], self._place(number))
        except (InvalidTag, ValueError):  # of a frame that is too short for a nonce
            if number:
                raise Damaged(f"The backup was altered: frame {number} cannot be decrypted.") from None
            raise Refused("backup: The passphrase is wrong, or the file was altered. Check the passphrase.") from None
        return opened

    def _place(self, number: int) -> bytes:
        return self._file + number.to_bytes(8, "big")
