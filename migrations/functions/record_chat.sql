-- The chat id that a dialogue answers to is one of those it is known by. Raises unique_violation if it is another
-- dialogue's.
create or replace function record_chat() returns trigger language plpgsql as $$
begin
  insert into dialogue_chats (channel_id, chat_id, dialogue_id, product_id)
    values (new.channel_id, new.chat_id, new.id, new.product_id)
    on conflict (channel_id, chat_id) do nothing;
  if not exists (select from dialogue_chats where channel_id = new.channel_id and chat_id = new.chat_id and dialogue_id = new.id) then
    raise unique_violation using message = 'the chat has another dialogue', table = 'dialogues', constraint = 'dialogues_chat';
  end if;
  return null;
end $$;

create or replace trigger record_chat after insert on dialogues for each row
  when (new.chat_id is not null) execute function record_chat();

create or replace trigger record_chat_changed after update of chat_id on dialogues for each row
  when (new.chat_id is not null and old.chat_id is distinct from new.chat_id) execute function record_chat();
