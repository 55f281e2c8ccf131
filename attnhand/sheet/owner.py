"""The student whose sheet it is in a class set."""

from dataclasses import dataclass

PLACEHOLDER_NUMBER, PLACEHOLDER_NAME = 888, "Ada"


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """A student's place in a class set: the № by which papers are sorted, and the name."""

    number: int
    """№, from 1."""

    name: str = ""
    """Empty where nobody is named: there is a line to write on."""

    is_spare: bool = False
    """Whether it is a spare sheet."""

    @property
    def printed_number(self) -> str:
        """The number as it is printed, in three digits at least.

        >>> Owner(number=7).printed_number, Owner(number=1234).printed_number
        ('007', '1234')
        """
        return f"{self.number:03d}"

    @property
    def placeholder(self) -> "Owner":
        """Return an owner for whom the sheet looks the same but for № and name."""
        return Owner(number=PLACEHOLDER_NUMBER, name=PLACEHOLDER_NAME if self.name else "", is_spare=self.is_spare)

    @property
    def number_and_name(self) -> str:
        """Return number and name as they stand in a form's field: "047 Ada"."""
        return f"{self.printed_number} {self.name}".strip()
