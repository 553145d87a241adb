"""Commands that write notes, tasks and skills."""
