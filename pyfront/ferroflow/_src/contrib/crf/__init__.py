"""Linear-chain conditional random fields: likelihoods of tag sequences, and the best ones."""
