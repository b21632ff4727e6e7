DROP TABLE activity;
DROP TABLE messages;
