"""Stamping: a page is laid out once by WeasyPrint, and every sheet's numbers are written over it.

In reading order: slots (what differs from sheet to sheet), background (what does not, with its tags), template (both,
as they are kept), skeleton (how a template is made), kept (the cache folder), glyphs and typesetting (numbers and words
as PDF operators), structure, tree_text and objects (what a PDF file is made of).
"""
