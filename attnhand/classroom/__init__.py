"""A class: its roster, a distinct sheet for everyone, and what came back."""
