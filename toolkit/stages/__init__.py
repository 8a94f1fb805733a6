"""Stages: each turns inputs into one artifact, shard by shard, and can be killed at any time."""
