"""Sheets as PDF, drawn from their layout.

In reading order: canvas (the calls), fonts, draw_page (a page's boxes as calls, and its tags), draw_sheet (once what
sheets of one kind share, and what differs), sheet_pages (what was drawn), writer with objects, tag_objects and form
(the file), pdf (one sheet). form_reader reads filled forms back; weasy makes reports, from their HTML.
"""
