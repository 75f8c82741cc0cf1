"""Reads reference data from a TOML file or a mapping. Reference data lists the values that a target knows.

    "*.productId" = ["P-1", "P-2"]
    "categoryIds[]" = {lines = "categories.txt"}

    [[rows]]
    csv = "products.csv"
    "productClusters[].products[].productId" = "id"
    "productClusters[].products[].pageCount" = "pages"

A `*` matches any characters. A table `[[rows]]` assigns the columns of a CSV file to the properties of an object.
"""

from brokerfuzz.schemas.reference_data.reading import check_values, known_values

__all__ = ["check_values", "known_values"]
