"""What a case covers of its contract: rules and techniques, edges, ambiguities, and pairs of states. Told from the bytes, whoever made them."""
