"""Says in words and as JSON what brokerfuzz knows: about names, cases, verdicts and corpora. Each function
returns a `Description`.
"""
