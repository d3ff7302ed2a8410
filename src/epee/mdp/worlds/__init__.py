"""Small decision processes whose optimum is known."""
