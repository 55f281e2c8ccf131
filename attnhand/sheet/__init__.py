"""What stands on a sheet, without a millimetre."""
