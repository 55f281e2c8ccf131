"""Stamping: a page is laid out once by WeasyPrint, and every sheet's numbers are written over it.

In reading order: slots (what differs from sheet to sheet), background (what does not, with its tags), template (both,
kept on disk), glyphs and typesetting (numbers and words as PDF operators).
"""
