-- A channel and a vendor account have an owner: the company that an admin chose when the channel was made. Further
-- companies may use them once an admin has shared them. `channel_companies` and `vendor_account_companies` list everyone
-- who may: the owner and those it is shared with.
alter table vendor_accounts add column company_id bigint references companies on delete set null;
create table vendor_account_companies (
  account_id bigint not null references vendor_accounts on delete cascade,
  company_id bigint not null references companies on delete cascade,
  primary key (account_id, company_id)
);
create index vendor_account_companies_company on vendor_account_companies (company_id);

alter table channels add column company_id bigint references companies;
create table channel_companies (
  channel_id bigint not null references channels on delete cascade,
  company_id bigint not null references companies on delete cascade,
  primary key (channel_id, company_id)
);
create index channel_companies_company on channel_companies (company_id);

alter table product_channels add column company_id bigint;
update product_channels l set company_id = p.company_id from products p where p.id = l.product_id;
alter table product_channels alter column company_id set not null;

-- Who has a link keeps it.
insert into channel_companies select distinct channel_id, company_id from product_channels;

-- The owner is the one company of a channel's links and dialogues. Where there are several or none, it stays open, and
-- an admin is asked.
update channels c set company_id = o.company_id
  from (select channel_id, min(company_id) as company_id
          from (select channel_id, company_id from product_channels
                union select d.channel_id, p.company_id from dialogues d join products p on p.id = d.product_id) used
         group by channel_id having count(distinct company_id) = 1) o
 where o.channel_id = c.id;
insert into channel_companies select id, company_id from channels where company_id is not null on conflict do nothing;

update vendor_accounts a set company_id = o.company_id
  from (select account_id, min(company_id) as company_id from channels
         group by account_id having count(*) = count(company_id) and count(distinct company_id) = 1) o
 where o.account_id = a.id;
insert into vendor_account_companies select distinct account_id, company_id from channels where company_id is not null;

-- The owner always is among those who may use it.
create function owner_may_use() returns trigger language plpgsql as $$
begin
  if new.company_id is null then
    return null;
  end if;
  if tg_table_name = 'channels' then
    insert into channel_companies values (new.id, new.company_id) on conflict do nothing;
  else
    insert into vendor_account_companies values (new.id, new.company_id) on conflict do nothing;
  end if;
  return null;
end $$;
create trigger owner_may_use after insert or update of company_id on channels
  for each row execute function owner_may_use();
create trigger owner_may_use after insert or update of company_id on vendor_accounts
  for each row execute function owner_may_use();

-- Checked at the end: the row of the owner comes after the channel itself.
alter table vendor_accounts add foreign key (id, company_id)
  references vendor_account_companies (account_id, company_id) deferrable initially deferred;
alter table channels
  add foreign key (id, company_id) references channel_companies (channel_id, company_id) deferrable initially deferred,
  add foreign key (account_id, company_id) references vendor_account_companies (account_id, company_id);

-- A product is linked only to a channel that its company may use.
alter table product_channels
  drop constraint product_channels_product_id_fkey,
  drop constraint product_channels_channel_id_fkey,
  add foreign key (product_id, company_id) references products (id, company_id) on delete cascade,
  add foreign key (channel_id, company_id) references channel_companies (channel_id, company_id);

drop trigger revision on channels;
create trigger revision before update on channels for each row
  when ((old.name, old.number, old.vendor, old.channel_type, old.vendor_ref, old.account_id, old.config, old.is_active,
         old.company_id)
    is distinct from
    (new.name, new.number, new.vendor, new.channel_type, new.vendor_ref, new.account_id, new.config, new.is_active,
     new.company_id))
  execute function raise_revision();

-- Whose dialogues a channel has.
create index dialogues_channel_product on dialogues (channel_id, product_id);
