"""Measured hardware limits: achievable and sustainable matmul rate, copy and triad bandwidth."""
