"""Pages of notes, tasks and skills: lists, board, reading, editing, past versions, links."""
