"""What Sonde shows rather than measures: reports and tables made from record files."""
