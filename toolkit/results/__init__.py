"""Results that stay: one record an evaluation, never changed; ranks and tables made of them."""
