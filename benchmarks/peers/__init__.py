"""What a shop would build instead: rivals, written as fairly as we can."""
