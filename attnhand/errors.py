"""What can go wrong through the user's own doing; each message says what to do next."""


class AttnhandError(Exception):
    """The root of all refusals: its message is one sentence for the user, with the remedy."""


class ProblemError(AttnhandError):
    """A problem (matrices, words, rules) that cannot be worked as it was given."""


class NumberError(AttnhandError):
    """A text that is not one number of exactly one reading."""


class CodeError(AttnhandError):
    """A sheet code that is mistyped, salted otherwise, or contradicted by an option."""


class GenerationError(AttnhandError):
    """A request that no draw can meet."""


class PageError(AttnhandError):
    """A sheet that cannot be printed legibly as it was asked for."""


class CellError(AttnhandError):
    """A cell address that names no cell of the sheet."""


class AnswerError(AttnhandError):
    """Answers that cannot be marked: no answer file, or another sheet's."""


class TableError(AttnhandError):
    """A table that cannot be read as one."""


class RosterError(AttnhandError):
    """A list of students that cannot be worked with."""


class WorkerError(AttnhandError):
    """Workers, on this machine or others, that cannot be worked with."""


class MissingLibraryError(AttnhandError):
    """A system library that is not installed; the message names the install command."""


class KeyProofError(RuntimeError):
    """A key that failed its proof: a bug of ours, never the user's, and never printed."""
