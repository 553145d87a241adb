"""Masking of secrets in texts before they are stored, shown or sent."""

from waymeet.ingest.read.secrets.mask import MASK, MaskedText, mask_secrets, split_secrets

__all__ = ["MASK", "MaskedText", "mask_secrets", "split_secrets"]
