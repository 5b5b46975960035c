"""Supervised training: sessions that are restored and watched, hooks around their steps, the services of a chief."""
