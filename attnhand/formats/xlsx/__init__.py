"""The sheet as a spreadsheet, laid out like the page; whoever wants can let it check itself."""
