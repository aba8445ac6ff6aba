"""What a custodian declares: tables, promises, limits of analysts, and cautions about them."""
