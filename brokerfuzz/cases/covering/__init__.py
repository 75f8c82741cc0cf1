"""What a case covers of its contract: rules and techniques, edges, silences, and pairs of states. Told from the bytes, whoever made them."""
