"""What the columns of a roster are called, in the languages of those who export them.

Plain data. A title counts without capitals, accents, blanks and points: "E-Mail" is "email". Of two titles of one thing
the one that stands first here is taken: Canvas's "SIS User ID" before its "ID".
"""

import unicodedata
from collections.abc import Mapping
from itertools import count


def normalize_title(title: str) -> str:
    """Return a title without what does not tell it from others.

    >>> normalize_title("Prénom"), normalize_title("E-Mail"), normalize_title("ΌΝΟΜΑ"), normalize_title("Imię")
    ('prenom', 'email', 'ονομα', 'imie')
    """
    text = unicodedata.normalize("NFKD", title.casefold()).translate(str.maketrans("łøđı", "lodi")).casefold()
    return "".join(c for c in text if c.isalnum())


_TITLES: Mapping[str, str] = {
    "name": """
        full name, student name, name, student, display name, name of student, sortable name, short name,
        Name Vorname, Vor- und Nachname, Vollständiger Name, Teilnehmer, Teilnehmerin, Studierende, Studierender,
        Nachname Vorname, Schüler, nom complet, nom et prénom, nom prénom, étudiant, élève, nom,
        nombre completo, nombre y apellidos, apellidos y nombre, alumno, estudiante, nombre,
        nome completo, nome e cognome, cognome e nome, studente, aluno, nome do aluno, nome,
        volledige naam, naam, imię i nazwisko, nazwisko i imię, fullständigt namn, namn, ad soyad, adı soyadı, ad,
        ФИО, Ф.И.О., имя и фамилия, фамилия и имя, полное имя, студент, имя,
        ПІБ, П.І.Б., прізвище та ім'я, прізвище й ім'я, прізвище ім'я, ім'я та прізвище, ім'я й прізвище, повне ім'я,
        студентка, ім'я, ονοματεπώνυμο, φοιτητής, όνομα,
        họ và tên, họ tên, tên""",
    "first": """
        first name, given name, given names, forename, firstname, first name of student,
        Vorname, Vornamen, Rufname, prénom, prénoms,
        nombres, nombre de pila, primeiro nome, nome próprio, voornaam, imię, förnamn, fornavn, adı,
        μικρό όνομα, keresztnév, utónév, 名""",
    "last": """
        last name, surname, family name, lastname, family name of student,
        Nachname, Familienname, Zuname, nom de famille, nom usuel,
        apellidos, apellido, primer apellido, cognome, apelido, sobrenome, último nome, achternaam, nazwisko,
        efternamn, etternavn, soyadı, soyad, фамилия, прізвище, επώνυμο, επίθετο,
        họ, họ đệm, họ và tên đệm, họ lót, vezetéknév, családnév, 姓""",
    "number": """
        №, Nr, N°, number, Nummer, numéro, número, numero, numer, номер, sheet number, Blattnummer,
        numéro de feuille, número de hoja, numer arkusza, número da folha, номер аркуша""",
    "id": """
        SIS User ID, SIS ID, student id, student number, student no, user id, id number, Matrikelnummer, Matrikelnr,
        Matrikel, Matr.-Nr., Mat.-Nr., Matrikel-Nr., Kennnummer, Mtknr, numéro étudiant, n° étudiant, num étudiant,
        numéro d'étudiant, code étudiant, INE, matrícula, número de matrícula, nº de matrícula, número de alumno,
        expediente, número de expediente, nº de aluno, número de aluno, número mecanográfico, matricola,
        numero di matricola, numero matricola, studentnummer, studienummer, numer albumu, nr albumu, indeks,
        öğrenci no, öğrenci numarası, номер зачетки, номер зачётной книжки, студенческий билет,
        номер студента, студентський квиток, номер студентського квитка, номер залікової книжки,
        αριθμός μητρώου, ΑΜ, Α.Μ., mã số sinh viên, MSSV, mã sinh viên, mã SV,
        matriculation, matriculation number, registration number, org defined id, SIS Login ID, login id,
        id, number, ID-Nummer, número de ID, numéro d'identification, codice identificativo, identifiant, Kennung""",
    "email": """
        email, mail, email address, mail address, E-Mail-Adresse, Mailadresse, adresse de courriel, courriel,
        adresse e-mail, adresse mail, adresse électronique, correo, correo electrónico, dirección de correo,
        e-mailadres, email address of student,
        posta elettronica, indirizzo email, endereço de email, endereço de e-mail, adres e-mail,
        adres email, e-post, e-postadress, e-posta, электронная почта, эл. почта, почта, адрес электронной почты,
        електронна пошта, ел. пошта, пошта,
        ηλεκτρονικό ταχυδρομείο, ηλ. ταχυδρομείο, email uni, thư điện tử, địa chỉ email""",
    "group": """
        group, groups, tutorial, tutorial group, section, sections, class, Gruppe, Gruppen, Übungsgruppe, Tutorium,
        Übung, Parallelgruppe, groupe, groupes, groupe TD, groupe de TD, TD, grupo, grupos, grupo de prácticas,
        turma, gruppo, gruppi, turno, groep, groepen, werkgroep, grupa, grupy, grupa zajęciowa, grupp, gruppe nr,
        grup, şube, группа, группы, група, групи, підгрупа, ομάδα, τμήμα, nhóm, lớp""",
}

TITLES: Mapping[str, Mapping[str, int]] = {
    kind: dict(zip(map(normalize_title, titles.replace("\n", " ").split(",")), count(), strict=False))
    for kind, titles in _TITLES.items()
}
"""What each thing may be called, normalized, and which is taken before which."""

BARE_NAMES = frozenset(
    map(normalize_title, ("name", "nom", "nombre", "nome", "naam", "namn", "ad", "имя", "ім'я", "όνομα", "tên"))
)
"""A name, or that half of it which no other column holds."""

SURNAME_FIRST = frozenset(
    map(normalize_title, ("họ", "họ đệm", "họ và tên đệm", "họ lót", "vezetéknév", "családnév", "姓"))
)
"""Where a surname is called so, it is said before the given name."""

INDEX_TITLES: Mapping[str, frozenset[str]] = {
    kind: frozenset(map(normalize_title, titles.split(",")))
    for kind, titles in {
        "code": "code, código, code de la feuille, kod, код",
        "options": "options, Optionen, opciones, réglages, opções, opcje, параметри",
    }.items()
}
"""What else the index of a class has, by which it is known on its way back as a roster."""

_COUNTS = """
    sum, total, totals, count, number of students, Summe, gesamt, insgesamt, Gesamtzahl, Anzahl, somme, total général,
    effectif, nombre d'étudiants, suma, total general, número de alumnos, soma, total geral, número de alunos, totale,
    totaal, aantal, razem, ogółem, liczba studentów, summa, antal, toplam, всього, усього, разом, кількість, итого,
    всего, σύνολο, tổng, tổng số"""

_ENDS = "startHISsheet, endHISsheet, end, end of list, Ende, Listenende, fin, fim, fine, koniec, кінець, конец"

_STAMPS = """
    Stand, erstellt, gedruckt, Seite, generated, exported, printed, as of, page, généré, édité, imprimé, generado,
    impreso, página, gerado, emitido, impresso, wygenerowano, wydrukowano, strona, створено, роздруковано, станом,
    сторінка"""

FOOTER_WORDS = frozenset(map(normalize_title, f"{_COUNTS}, {_ENDS}".replace("\n", " ").split(",")))
"""What stands alone, or with a number, in a line below the students."""

STAMP_WORDS = frozenset(map(normalize_title, _STAMPS.replace("\n", " ").split(",")))
"""With what a line begins that says when a list was made, or which of its pages it is."""
