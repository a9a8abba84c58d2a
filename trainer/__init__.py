"""Simulate, collect, learn, save. Never knows a screen; importing this package imports nothing."""
