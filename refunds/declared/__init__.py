"""What merchants declare: manifests of refund policies and channels, read and judged. Pure."""
