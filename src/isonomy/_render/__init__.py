"""Results as text, HTML and pages."""
