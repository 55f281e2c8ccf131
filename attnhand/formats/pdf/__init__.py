"""Stamping: a page is laid out once by WeasyPrint, and every sheet's numbers are written over it.

In reading order: slots (what differs from sheet to sheet), background (what does not, with its tags), template (both,
as they are stored), skeleton (how a template is made), fonts and typesetting (numbers and words as PDF operators),
tags, tag_objects, objects and writer (what a PDF file is made of).
"""
