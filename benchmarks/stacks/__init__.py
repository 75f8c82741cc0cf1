"""Correct offer services, each written with another library, to test that brokerfuzz reports no finding about a correct
service.

Every stack follows the contract document and shares no code or schema with brokerfuzz. The stacks differ where the
contract leaves a question open (see `habits`).
"""
