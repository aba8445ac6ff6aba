"""Questions asked together: batches, and plans charged at once and answered in any order."""
