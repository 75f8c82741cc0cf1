"""Says in words and as JSON what brokerfuzz knows: about names, cases, findings, verdicts and corpora. Each function
returns a `Description`.
"""
