"""Who is in a class, and which number and seed each has."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnhand.classroom.index import format_index_csv, read_index
from attnhand.classroom.register import assign_seats
from attnhand.classroom.roster import make_unnamed_students, read_roster
from attnhand.errors import AttnhandError, RosterError
from attnhand.sheet.seat import Identity, Seat, Student
from attnhand.text import LANGUAGES
from tests.spreadsheet_files import PROGRAMS, write_ods, write_xlsx

CLASS = read_roster(
    "Name,ID,E-Mail,Group,large print\nAda,7,ada@x.org,A,yes\n\nBob,8,,B,\n".encode("utf-8-sig")
).students


def test_a_roster_is_read() -> None:
    """With a header in any order, blank lines and columns of others; what a column leaves out is empty."""
    ada, bob = CLASS
    assert ada == Student(row=1, name="Ada", id="7", email="ada@x.org", group="A", overrides=(("large_print", "yes"),))
    assert bob == Student(row=2, name="Bob", id="8", group="B")


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_spreadsheets_save_it_in_their_own_ways(separator: str, encoding: str) -> None:
    """Comma, semicolon or tab, and the encodings of Windows."""
    text = separator.join(("phone", "name", "id")) + "\r\n" + separator.join(("1", "Zoë", "9")) + "\r\n"
    assert read_roster(text.encode(encoding)).students == (Student(row=1, name="Zoë", id="9"),)


REFUSED = {
    "nothing": (b"", "is empty"),
    "a header alone": (b"name,id\n", "has a header and no student"),
    "no name": (b"nmae,room\nAda,3\n", "has no column of names: its columns are nmae, room; say which it is, "),
    "an id and no name": (
        b"Matrikelnr;Familie\n7;Lovelace\n",
        "has no column of names: its columns are Matrikelnr, Fam",
    ),
    "a comma in a name": (b"name,id\nBob,1\nLovelace, Ada,7\n", "more cells than its header in the line of student 2"),
    "names alone": (
        b"Ada\nBob\n",
        'has no header, its first line is Ada: say which column holds the names, `column="name=1"`, or write above it',
    ),
    "names and numbers": (b"Ada Oak;4711\nBo Elm;4712\n", "has no header, its first line is Ada Oak, 4711: say which"),
    "names and addresses": (b"Ada Oak;a@x.org\nBo Elm;b@x.org\n", "has no header, its first line is Ada Oak, a@x.org"),
    "a place that is none": (b"Ada;7\n", "has no header, its first line is Ada, 7"),
    "a NUL": (b"name;id\nAda;7\nBo\0b;8\n", "holds a NUL character in line 3: delete it there"),
    "a number twice": (
        b"No.;name\n3;Ada\n;Bo\n3;Cy\n",
        "has the № 3 twice, in lines 2 and 4: leave it empty for who is new; "
        'if that column holds no №, add `column="number="`',
    ),
    "a number that is none": (
        b"No.;name\n3;Ada\n4b;Bo\n",
        "has '4b' as the № of Bo in line 3: write a whole number from 1 to 999,999, or nothing for a new one; if that",
    ),
    "a number of zero": (b"No.;name\n3;Ada\n0;Bo\n", "has '0' as the № of Bo in line 3"),
    "half a number": (b"No.;name\n3;Ada\n1.5;Bo\n", "has '1.5' as the № of Bo in line 3"),
    "a long number": (b"No.;name\n3;Ada\n1000000;Bo\n", "has '1000000' as the № of Bo in line 3"),
    "two of one id": (b"name,id\nAda,7\nBob,7\n", "has the id '7' twice, for students 1 and 2"),
    "two of one name": ("name\nZoë\nZOË\n".encode(), "has the name 'zoë' twice"),
    "two columns": (b"name,id,ID\nAda,7,8\n", "has two columns for the id"),
    "a picture": (b"\x89PNG\r\n\x1a\n\0\0", "holds bytes that are no text"),
    "an open quote": (b'name\n"Ada\n', "is no CSV"),
}


@pytest.mark.parametrize(("data", "sentence"), REFUSED.values(), ids=REFUSED)
def test_what_is_no_roster_is_refused(data: bytes, sentence: str) -> None:
    """In one sentence that says what to do."""
    with pytest.raises(RosterError, match=r"^(is|has|holds) ") as refusal:
        read_roster(data)
    assert sentence in str(refusal.value)


LONG_NAME = "Maximiliane Wilhelmine Theodora von und zu Hohenlohe-Waldenburg-Schillingsfürst X"

EXPORTS: dict[str, tuple[bytes, str, list[str]]] = {
    "Moodle, participants": (
        '\ufeffVorname,Nachname,E-Mail-Adresse,Gruppen\nZoë,Ärmel,z@x.org,"A, B"\nBo,Os,b@x.org,\n'.encode(),
        "2 students · name = Vorname + Nachname · email = E-Mail-Adresse · group = Gruppen",
        ["Zoë Ärmel", "Bo Os"],
    ),
    "Moodle, grades": (
        b"First name,Last name,ID number,Institution,Email address,Course total (Real)\nAda,Oak,7,,a@x.org,3\n",
        "1 student · name = First name + Last name · id = ID number · email = Email address · "
        "not used: Institution, Course total (Real)",
        ["Ada Oak"],
    ),
    "Canvas, gradebook": (
        b"Student,ID,SIS User ID,SIS Login ID,Section,Quiz 1 (99)\n    Points Possible,,,,,10\n"
        b'"Oak, Ada",12,s7,ada,Lab 1,9\n"Elm, Bo",13,s8,bo,Lab 2,\n"Student, Test",14,,6e17,Lab 1,\n',
        "2 students · name = Student · id = SIS User ID · group = Section · "
        "not used: ID, SIS Login ID, Quiz 1 (99) · no student: line 2 (Points Possible), 5 (Student, Test)",
        ["Oak, Ada", "Elm, Bo"],
    ),
    "Canvas, gradebook without SIS": (
        b"Student,ID,SIS Login ID,Section,Quiz 1 (99)\n,,,,Manual Posting\n    Points Possible,,,,10\n"
        b'"Oak, Ada",12,ada,Lab 1,9\n"Student, Test",14,6e17,Lab 1,\n',
        "1 student · name = Student · id = SIS Login ID · group = Section · "
        "not used: ID, Quiz 1 (99) · no student: line 2 (Manual Posting), 3 (Points Possible), 5 (Student, Test)",
        ["Oak, Ada"],
    ),
    "Canvas, SIS": (
        b"user_id,login_id,first_name,last_name,full_name,sortable_name,email,status\n"
        b's7,ada,Ada,Oak,Ada Oak,"Oak, Ada",a@x.org,active\n',
        "1 student · name = full_name · id = user_id · email = email · "
        "not used: login_id, first_name, last_name, sortable_name, status",
        ["Ada Oak"],
    ),
    "HISinOne": (
        "Matrikelnr;Nachname;Vorname;E-Mail;Gruppe;Studiengang\r\n"
        f"7;Müßig;Jürgen;j@x.org;A;Physik\r\n8;{LONG_NAME};Eva;;A;\r\n".encode("latin-1"),
        "2 students · name = Vorname + Nachname · id = Matrikelnr · email = E-Mail · group = Gruppe · "
        "not used: Studiengang",
        ["Jürgen Müßig", f"Eva {LONG_NAME}"],
    ),
    "CAMPUSonline": (
        "Teilnehmerliste;;;\n\nREGISTRATION_NUMBER;FAMILY_NAME_OF_STUDENT;FIRST_NAME_OF_STUDENT;GUEST\n"
        "7;Müßig;Zoë;\n".encode("cp1252"),
        "1 student · name = FIRST_NAME_OF_STUDENT + FAMILY_NAME_OF_STUDENT · id = REGISTRATION_NUMBER · "
        "header in line 3 · not used: GUEST",
        ["Zoë Müßig"],
    ),
    "Google Sheets": (
        write_xlsx(
            [["Name", "Student ID", "Section"], ["Ada O'Hara", "7", "A"], ["Ada O'Hara", "8", "A"]],
            PROGRAMS["Google Sheets"],
        ),
        "2 students · name = Name · id = Student ID · group = Section",
        ["Ada O'Hara", "Ada O'Hara"],
    ),
    "LibreOffice": (
        write_ods([["Liste"], ["Nr", "Nachname", "Vorname", "Matrikelnummer"], ["1", "Os", "Bo", "007"]]),
        "1 student · name = Vorname + Nachname · number = Nr · id = Matrikelnummer · header in line 2",
        ["Bo Os"],
    ),
    "LibreOffice, letters of all kinds": (
        write_ods([["Name", "Gruppe"], ["Ąžuolė Ŵ", "α"], ["Ó Brien", "α"]]),
        "2 students · name = Name · group = Gruppe",
        ["Ąžuolė Ŵ", "Ó Brien"],
    ),
    "Excel, a title and empty columns": (
        write_xlsx([["Analysis, winter, A"], ["", "", ""], ["", "NAME", "", "Vorname"], ["", "Os", "", "Bo"]]),
        "1 student · name = Vorname + NAME · header in line 3",
        ["Bo Os"],
    ),
    "a title with other separators": (
        b"Liste, Kurs 1, Raum 2, Ufer\nNachname;Vorname\nOs;Bo\n",
        "1 student · name = Vorname + Nachname · header in line 2",
        ["Bo Os"],
    ),
    "French": (
        "Numéro étudiant;NOM;PRÉNOM;TD\n7;D'Août;Zoé;TD 2\n".encode(),
        "1 student · name = PRÉNOM + NOM · id = Numéro étudiant · group = TD",
        ["Zoé D'Août"],
    ),
    "Spanish": (
        "Apellidos,Nombre,Nº de matrícula,Correo electrónico\nOro Sol,Luz,7,l@x.org\n".encode(),
        "1 student · name = Nombre + Apellidos · id = Nº de matrícula · email = Correo electrónico",
        ["Luz Oro Sol"],
    ),
    "Italian": (
        b"Matricola,Cognome,Nome\n7,Rossi,Pia\n",
        "1 student · name = Nome + Cognome · id = Matricola",
        ["Pia Rossi"],
    ),
    "Portuguese": (
        "Nome completo,Matrícula,Turma\nInês,7,B\n".encode(),
        "1 student · name = Nome completo · id = Matrícula · group = Turma",
        ["Inês"],
    ),
    "Dutch": (
        b"Achternaam,Voornaam,Groep\nVis,Jo,1\n",
        "1 student · name = Voornaam + Achternaam · group = Groep",
        ["Jo Vis"],
    ),
    "Polish": (
        "Imię;Nazwisko;Nr albumu\nŁucja;Żak;7\n".encode(),
        "1 student · name = Imię + Nazwisko · id = Nr albumu",
        ["Łucja Żak"],
    ),
    "Swedish": ("Förnamn;Efternamn\nÅsa;Ek\n".encode(), "1 student · name = Förnamn + Efternamn", ["Åsa Ek"]),
    "Turkish": (
        "ADI;SOYADI;Öğrenci No\nİpek;Ay;7\n".encode(),
        "1 student · name = ADI + SOYADI · id = Öğrenci No",
        ["İpek Ay"],
    ),
    "Greek": (
        "Επώνυμο;ΌΝΟΜΑ;Αριθμός Μητρώου\nΛύρα;Ήρα;7\n".encode(),
        "1 student · name = ΌΝΟΜΑ + Επώνυμο · id = Αριθμός Μητρώου",
        ["Ήρα Λύρα"],
    ),
    "Russian": (
        "Фамилия;Имя;Группа\nЁлкин;Йод;1\n".encode("utf-16"),
        "1 student · name = Имя + Фамилия · group = Группа",
        ["Йод Ёлкин"],
    ),
    "Vietnamese": (
        "MSSV,Họ,Tên,Lớp\n7,Nguyễn Thị,Ước,A\n".encode(),
        "1 student · name = Họ + Tên · id = MSSV · group = Lớp",
        ["Nguyễn Thị Ước"],
    ),
    "HIS, with its frame": (
        "startHISsheet\r\nMatrikelnr;Nachname;Vorname\r\n7;Müßig;Jürgen\r\nendHISsheet\r\n".encode("cp1252"),
        "1 student · name = Vorname + Nachname · id = Matrikelnr · header in line 2 · no student: line 4 (endHISsheet)",
        ["Jürgen Müßig"],
    ),
    "a sum below": (
        b"Nachname;Vorname;Matrikelnr\nOak;Ada;7\nElm;Bo;8\n\nSumme;;2\nStand: 24.11.2026;;\n",
        "2 students · name = Vorname + Nachname · id = Matrikelnr · no student: line 5 (Summe), 6 (Stand: 24.11.2026)",
        ["Ada Oak", "Bo Elm"],
    ),
    "names and a total": (
        b"name\nAda Total\nBo\nTotal: 2\n",
        "2 students · name = name · no student: line 4 (Total: 2)",
        ["Ada Total", "Bo"],
    ),
    "people who are called so": (
        b"name;id\nSuma;4711\nFin;4712\nEnde;\nTotal;\n3 Studierende;\n",
        "4 students · name = name · id = id · no student: line 6 (3 Studierende)",
        ["Suma", "Fin", "Ende", "Total"],
    ),
    "whole lines in quotes": (
        b'"Name;Gruppe;Matrikelnr"\r\n"Ada;A;7"\r\n"""Elm; Bo"";B;8"\r\n',
        "2 students · name = Name · id = Matrikelnr · group = Gruppe",
        ["Ada", "Elm; Bo"],
    ),
    "some lines in quotes, with empty columns": (
        b'name,id,group;;\n"""Oak, Ada"",7,A";;\nBo,8,B;;\n',
        "2 students · name = name · id = id · group = group",
        ["Oak, Ada", "Bo"],
    ),
    "one column of a spreadsheet": (
        write_xlsx([["Name;Gruppe"], ["Ada;A"], ["Bo;B"]]),
        "2 students · name = Name · group = Gruppe",
        ["Ada", "Bo"],
    ),
    "names with commas and quotes": (
        b'name\n"Oak, Ada"\n"Elm, ""Bo"""\n',
        "2 students · name = name",
        ["Oak, Ada", 'Elm, "Bo"'],
    ),
    "a name twice over": (b"Name;Vorname\nAda Oak;Ada\n", "1 student · name = Name · not used: Vorname", ["Ada Oak"]),
}


@pytest.mark.parametrize(("data", "understanding", "names"), EXPORTS.values(), ids=EXPORTS)
def test_exports_are_read_as_they_come(data: bytes, understanding: str, names: list[str]) -> None:
    """What each column was taken for is said, and nobody loses a part of a name."""
    roster = read_roster(data)
    assert str(roster.understanding) == understanding
    assert [student.name for student in roster.students] == names
    seats = [replace(seat, code=f"A1Q0-{seat.number:04d}") for seat in assign_seats(roster.students, 7, "otter")]
    assert [seat.student.name for seat in read_index(format_index_csv(seats).encode())] == names


def test_a_spreadsheet_may_hold_thousands() -> None:
    """As many as a registrar's largest course has."""
    rows = [["Name", "Matrikelnr", "E-Mail", "Gruppe"]]
    rows += [[f"Student {n}", f"s{n}", f"s{n}@x.org", f"G{n % 40}"] for n in range(10_000)]
    students = read_roster(write_xlsx(rows)).students
    assert (len(students), students[-1].name) == (10_000, "Student 9999")


def test_somebody_may_say_what_a_column_holds() -> None:
    """Where its title does not, or says something else; a title that is not there is refused."""
    data = b"Matrikelnr;Familie;Ruf\n7;Oak;Ada\n"
    whole = read_roster(data, ["name=familie"])
    assert str(whole.understanding) == "1 student · name = Familie · id = Matrikelnr · not used: Ruf"
    halves = read_roster(data, ["last=Familie", "first=Ruf"])
    assert halves.students == (Student(row=1, name="Ada Oak", id="7"),)
    with pytest.raises(RosterError, match="name= names: its columns are Matrikelnr, Familie, Ruf"):
        read_roster(data, ["name=Family"])
    with pytest.raises(AttnhandError, match="write name=, first=, last=, number=, id=, email=, group= and"):
        read_roster(data, ["nom=Familie"])


@pytest.mark.parametrize("count", [0, -1, 100_001])
def test_a_class_has_a_size(count: int) -> None:
    """One student at least, and not more than can be."""
    with pytest.raises(AttnhandError, match="is out of range"):
        make_unnamed_students(count)


def map_seeds_by_identity(seats: tuple[Seat, ...]) -> dict[Identity, int]:
    """Return the seeds by identity."""
    return {seat.student.identity: seat.seed for seat in seats}


def test_everyone_has_a_sheet_of_their_own_for_ever() -> None:
    """Ten thousand seeds, all different; the same from the same class seed and salt, others from another."""
    people = make_unnamed_students(10_000)
    seats = assign_seats(people, 7, "salt")
    assert [seat.number for seat in seats] == list(range(1, 10_001))
    assert len(set(map_seeds_by_identity(seats).values())) == 10_000
    assert assign_seats(people, 7, "salt") == seats
    assert not set(map_seeds_by_identity(assign_seats(people[:50], 8, "salt")).items()) & set(
        map_seeds_by_identity(seats).items()
    )
    assert not set(map_seeds_by_identity(assign_seats(people[:50], 7, "other")).items()) & set(
        map_seeds_by_identity(seats).items()
    )


@given(st.permutations(range(8)))
def test_one_more_changes_nobody_elses_sheet(order: list[int]) -> None:
    """In whatever order and wherever a new one stands; with the earlier set at hand numbers stay too."""
    people = [Student(row=row + 1, name=f"student {row}") for row in range(8)]
    before = assign_seats(people[:7], 7, "salt")
    mixed = [replace(people[i], row=place + 1) for place, i in enumerate(order)]
    after = assign_seats(mixed, 7, "salt")
    assert map_seeds_by_identity(before).items() <= map_seeds_by_identity(after).items()
    seats = assign_seats(mixed, 7, "salt", known_seats=[replace(seat, code="A1Q0") for seat in before])
    numbers = {seat.student.identity: seat.number for seat in seats}
    assert {seat.student.identity: seat.number for seat in before}.items() <= numbers.items()
    assert numbers["name", "student 7"] == 8


def test_where_two_would_have_the_same_the_later_takes_its_next() -> None:
    """A seed that another has is passed over, and nobody else notices."""
    people = make_unnamed_students(3)
    plain = assign_seats(people, 7, "")
    earlier = [Seat(number=99, student=Student(row=99), seed=plain[1].seed, code="A1Q0")]
    seats = assign_seats(people, 7, "", known_seats=earlier)
    assert [seat.seed == other.seed for seat, other in zip(seats, plain, strict=True)] == [True, False, True]
    assert [seat.number for seat in seats] == [100, 101, 102]


def test_versions_are_dealt_in_turn() -> None:
    """Six sheets among twenty students, number by number."""
    seats = assign_seats(make_unnamed_students(20), 7, "salt", version_count=6)
    dealt = [seat.seed for seat in seats]
    assert len(set(dealt[:6])) == 6
    assert dealt == [dealt[place % 6] for place in range(20)]
    with pytest.raises(AttnhandError, match="`versions=0` is out of range"):
        assign_seats(make_unnamed_students(2), 7, "", version_count=0)


@pytest.mark.parametrize("code", sorted(LANGUAGES))
def test_an_index_is_a_roster(code: str) -> None:
    """In every language: №s and options are kept, spares and who has left are nobody new, and who is added has none."""
    seats = [
        Seat(number=3, student=Student(row=1, name="Zoë", id="7", overrides=(("large_print", "yes"),)), code="A1"),
        Seat(number=5, student=Student(row=2, name="=1+1", email="b@x.org", group="B"), code="A2"),
        Seat(number=6, student=Student(row=3, name="Cy"), is_withdrawn=True),
        Seat(number=8, student=Student(row=1), is_spare=True, code="A3"),
    ]
    text = format_index_csv(seats, language_code=code)
    separator = ";" if ";" in text.splitlines()[0] else ","
    roster = read_roster(f"{text}{separator}New\r\n".encode("utf-8-sig"))
    assert roster.students == (seats[0].student, seats[1].student, Student(row=4, name="New"))
    assert [roster.numbers.get(student.identity) for student in roster.students] == [(3, 2), (5, 3), None]
    assert roster.others == (seats[2], replace(seats[3], code=""))


NUMBER_COLUMNS = {
    "an abbreviation": ("Nr.;name\n4;Ada\n7;Bo\n", [4, 7]),
    "a word": ("Nummer;name\n4;Ada\n7;Bo\n", [4, 7]),
    "a sign that was lost": ("?;name\n004;Ada\n007;Bo\n", [4, 7]),
    "a hash": ("name;#\nAda;4\nBo;\n", [4, None]),
    "ids": ("Nummer;name\n4711001;Ada\n4711002;Bo\n", [None, None]),
    "ids that are called numbers": ("number;name\n4711001;Ada\n4711002;Bo\n", [None, None]),
    "another's id": ("Matrikel-Nr.;Student No;name\n4;5;Ada\n", [None]),
    "no numbers": ("Nr;name\nB-12;Ada\nB-14;Bo\n", [None, None]),
    "nothing": ("Nr;name\n;Ada\n;Bo\n", [None, None]),
}


@pytest.mark.parametrize(("text", "numbers"), NUMBER_COLUMNS.values(), ids=NUMBER_COLUMNS)
def test_a_column_of_numbers_is_told_from_ids(text: str, numbers: list[int | None]) -> None:
    """By its title, and by what is in it."""
    roster = read_roster(text.encode())
    given = [roster.numbers.get(student.identity) for student in roster.students]
    assert [each and each.number for each in given] == numbers


def test_a_roster_without_a_header_has_columns_by_their_places() -> None:
    """Nobody is taken for the header."""
    roster = read_roster(b"Ada Oak;4711\nBo Elm;4712\n", ["name=1", "id=2"])
    assert [(student.name, student.id) for student in roster.students] == [("Ada Oak", "4711"), ("Bo Elm", "4712")]
    assert (
        str(roster.understanding) == "2 students · name = column 1 · id = column 2 · no header: every line is a student"
    )
    with pytest.raises(RosterError, match="no column that `column=` id= names: say its place, 1 to 2"):
        read_roster(b"Ada Oak;4711\nBo Elm;4712\n", ["name=1", "id=3"])
    with_header = read_roster(b"Matrikelnr;Familie\n7;Oak\n", ["name=2"])
    assert [student.name for student in with_header.students] == ["Oak"]
