"""The dashboard. Reads a run folder and writes commands into it; never loads torch or RocketSim."""
