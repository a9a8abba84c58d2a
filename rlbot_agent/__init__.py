"""What a bot senses and does. Ships alone to Windows; importing this package imports nothing."""
