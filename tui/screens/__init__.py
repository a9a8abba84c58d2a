"""What lies over the dashboard for a moment."""
