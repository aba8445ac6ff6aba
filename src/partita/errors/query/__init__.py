"""What is said of questions: of their language, of the tables they are about, and of their prices."""
