"""Pictures of a sheet, or of one of its stages, for articles and slides: drawn by the same calls as the PDF."""
