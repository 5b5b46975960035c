"""Operations that write and read checkpoints."""
