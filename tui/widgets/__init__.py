"""The pieces of the screen. Each draws what it is given and knows neither files nor the run."""
