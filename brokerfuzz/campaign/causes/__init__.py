"""Explains the wrong answers of a campaign. `investigation` is where it begins.

These are its words:

    failure      a case with a wrong answer, and the smallest message so far that shows it
    problem      a failure during experiments, which change its message
    difference   a place at which a message differs from an ordinary one, and how to undo this
    condition    what can be true of a value; an attribute is a condition at a site
    cause        what one failure has shown: the differences that matter, and the attributes of all cases with them
    slip         what wrong acceptances have shown: a habit at a rule
    explanation  causes or slips that belong together, in one sentence: a finding, before it has a name
"""
