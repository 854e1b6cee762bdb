-- Other indexes serve the queries of these: messages_one_sending, messages_vendor_id for each channel of an account, and
-- dialogues_contact with messages_thread.
drop index messages_sending;
drop index messages_ext;
drop index messages_contact;
comment on index messages_one_sending is 'Rule: a dialogue sends one message at a time; outbox: messages that an instance is sending, to be reclaimed after it died';
comment on index messages_vendor_id is 'Rule: a vendor''s message is stored once on a channel; inbox: the message that a delivery report names';
comment on index dialogues_contact is 'leads: dialogues of a contact; conversations: its messages; outreach: whether a lead has a conversation';
