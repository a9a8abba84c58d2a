"""`python -m rlbot_agent`: start the bot, as RLBot does through bot.toml."""

import sys

try:
    from rlbot_agent.bot import main
except ImportError as error:
    sys.exit(f"rlppo bot: {error}: install what requirements.txt lists")

main()
