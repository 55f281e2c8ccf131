"""Where everything stands, in millimetres."""
