-- Dialogues are found by the words of their messages. By `ilike` every message of the installation was read. [A search among
-- 100,000 messages: 1.5 to 2 s before, 40 ms (a rare word) to 230 ms (a word of every third message) with it; changing the
-- status of a message: 0.15 ms before, 0.26 ms with it]
create index messages_words on messages using gin (to_tsvector('simple', message)) where removed_at is null;
