"""Reads reference data: the values that a target knows, from a TOML file or a mapping.

"*.productId" = ["P-1", "P-2"]
categoryIds[] = {lines = "categories.txt"}      (with quotes around the site)

[[rows]]
csv = "products.csv"
"productClusters[].products[].productId" = "id"
"productClusters[].products[].pageCount" = "pages"
"""

from brokerfuzz.schemas.reference_data.reading import check_values, known_values

__all__ = ["check_values", "known_values"]
