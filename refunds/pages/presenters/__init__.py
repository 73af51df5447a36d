"""What is said in which state: facts in, sentences out. No database, no clock, no request."""
