"""What practising in the terminal says, in English."""

PRACTICE_SENTENCES: dict[str, str] = {
    "practice.how": "Type a row of numbers with blanks between them, or one number at a time (1/3, −2, 0.25; for 1 1/2 write "
    "3/2). ? a hint, twice the whole way · Enter leave it · back · quit",
    "practice.resumed": "Going on where you left: {filled} of {of} cells are filled.",
    "practice.left": "{filled} of {of} cells are filled; they are kept in {file}. The same command goes on from here.",
    "practice.done": "That was the last cell. Your answers are in {file}: attnhand check {file}",
    "practice.right": "✓",
    "practice.follows": "→ It follows from your values, and counts.",
    "practice.not_yet": "✗ Not yet: {cells}.",
    "practice.digits": "✗ Right as far as it goes, but give {decimals} decimals: {cells}.",
    "practice.unread": "{cell} {told}.",
    "practice.count": "Here are {cells} cells to fill: type {cells} numbers with blanks between them, or one.",
    "practice.first": "This is the first row.",
    "practice.nothing": "Every cell is filled.",
}
