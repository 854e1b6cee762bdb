-- (channel, the messenger's own chat id) is a dialogue; an address only leads to one that has no chat id yet. Before, a
-- dialogue was found by chat id or address, and what a stranger wrote under a reused username or a recycled number was
-- stored in the dialogue of whoever had it before.
create table dialogue_chats (
  channel_id bigint not null references channels,
  chat_id text not null,
  dialogue_id bigint not null,
  product_id bigint not null,
  -- When the messenger named it first.
  created_at timestamptz(3) not null default domain_now(),
  primary key (channel_id, chat_id),
  foreign key (dialogue_id, product_id) references dialogues (id, product_id) on delete cascade
);
create index dialogue_chats_dialogue on dialogue_chats (dialogue_id);
comment on index dialogue_chats_dialogue is 'conversations: every chat id of a dialogue';

-- What two dialogues have to do with each other. `address_moved`: the address of `dialogue_id` belongs to `other_id` since.
-- `same_person`: a hook, or a number in two national forms, proves that both are one person; an operator decides.
-- `mixed_chats`: before this rule, messages of another chat were stored in the dialogue.
create table dialogue_links (
  id bigint generated always as identity primary key,
  dialogue_id bigint not null,
  product_id bigint not null,
  other_id bigint,
  other_product_id bigint,
  kind text not null check (kind in ('address_moved', 'same_person', 'mixed_chats')),
  -- How it was noticed.
  evidence text not null check (evidence in ('message', 'echo', 'send', 'status', 'upgrade')),
  -- The address or the chat id that both have had.
  detail text not null,
  state text not null default 'open' check (state in ('open', 'accepted', 'rejected')),
  decided_by text,
  decided_at timestamptz(3),
  created_at timestamptz(3) not null default domain_now(),
  foreign key (dialogue_id, product_id) references dialogues (id, product_id) on delete cascade,
  foreign key (other_id, other_product_id) references dialogues (id, product_id) on delete cascade,
  constraint dialogue_links_of_two check (dialogue_id <> other_id),
  constraint dialogue_links_other check ((kind = 'mixed_chats') = (other_id is null))
);
create unique index dialogue_links_pair on dialogue_links (least(dialogue_id, other_id), greatest(dialogue_id, other_id), kind);
comment on index dialogue_links_pair is 'Rule: two dialogues are linked once in each way';
create index dialogue_links_dialogue on dialogue_links (dialogue_id);
comment on index dialogue_links_dialogue is 'conversations: links of a dialogue';
create index dialogue_links_other on dialogue_links (other_id);
comment on index dialogue_links_other is 'conversations: links of a dialogue';
create index dialogue_links_open on dialogue_links (id) where state = 'open' and kind <> 'address_moved';
comment on index dialogue_links_open is 'monitoring: links that wait for an operator';

-- A WhatsApp dialogue used to be created with the contact's digits as its chat id, before WhatsApp had named it. It is
-- certain that nothing has where no message left or arrived in it; ChatPush names no chat when it accepts one.
update dialogues d set chat_id = null
  from channels h
 where h.id = d.channel_id and h.channel_type = 'whatsapp' and d.chat_id = d.address
   and not exists (
     select from messages m where m.dialogue_id = d.id
        and (m.side = 'user' or m.author in ('phone', 'other') or m.status in ('sending', 'unconfirmed')
             or (h.vendor = 'wazzup24' and m.ext_id is not null)))
   and not exists (select from inbox i where i.channel_id = d.channel_id and i.chat_id = d.chat_id and i.kind = 'message');

insert into dialogue_chats (channel_id, chat_id, dialogue_id, product_id, created_at)
select channel_id, chat_id, id, product_id, created_at from dialogues where chat_id is not null;

-- Many dialogues may have had an address; one at a time waits for the chat that has it now.
drop index dialogues_address;
create unique index dialogues_address_without_chat on dialogues (channel_id, address) where chat_id is null;
comment on index dialogues_address_without_chat is 'Rule: of the dialogues with an address, one at most waits for its chat';

-- National variants of one number, in dialogues of one company on one channel: people decide whether they are one person.
with keyed as (
  select d.id, d.product_id, d.channel_id, p.company_id, d.address,
         person_key(d.address) as person
    from dialogues d join products p on p.id = d.product_id join channels h on h.id = d.channel_id
   where person_key(d.address) <> d.address or d.address ~ '^(52\d{10}|54\d{10}|55\d{10}|225\d{8}|229\d{8})$'
)
insert into dialogue_links (dialogue_id, product_id, other_id, other_product_id, kind, evidence, detail)
select one.id, one.product_id, other.id, other.product_id, 'same_person', 'upgrade', one.address
  from keyed one join keyed other using (channel_id, company_id, person) where one.id < other.id
on conflict do nothing;

-- A message of another chat that was stored in a dialogue may be a stranger's or the same person's: people look at it.
insert into dialogue_links (dialogue_id, product_id, kind, evidence, detail)
select distinct m.dialogue_id, m.product_id, 'mixed_chats', 'upgrade', i.chat_id
  from inbox i join messages m on m.id = i.note_detail::bigint join dialogues d on d.id = m.dialogue_id
 where i.state = 'done' and i.note = 'message' and i.kind = 'message' and i.note_detail ~ '^\d+$' and i.chat_id <> d.chat_id
   and m.side = 'user' and m.channel_id = i.channel_id;

-- Where the chat is not one person's: until now only groups were told apart.
update inbox set item = (item - 'isGroup') || jsonb_build_object('notPerson', case when item->>'isGroup' = 'true' then 'group' end)
 where state <> 'done' and item ? 'isGroup';

alter table inbox add column ignored_at timestamptz(3);
comment on column inbox.ignored_at is 'when it was found to be no message of a lead; null: it is one, or not known yet';
create index inbox_ignored on inbox (channel_id, id) where ignored_at is not null;
comment on index inbox_ignored is 'inbox: list what was ignored on a channel, the newest first';
