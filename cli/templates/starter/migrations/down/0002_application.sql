DROP TABLE invitations;
DROP TABLE messages;
