"""Cases: messages with a verdict. They come from the catalogue, or brokerfuzz generates them at random."""
