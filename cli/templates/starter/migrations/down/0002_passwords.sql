DROP TABLE passwords;
