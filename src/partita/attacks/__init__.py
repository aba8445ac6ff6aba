"""The laboratory: attacks that show why composition is needed, and audits that test what is claimed."""
