"""Pictures of a sheet, or of one of its stages, for articles and slides: drawn from the PDF, so that all look alike."""
