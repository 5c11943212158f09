-- An event is written in the transaction that makes it true, and such transactions end in another order than their rows are made in.
-- So a row gets its number only afterwards, from the one api, in the order in which it is delivered: who has seen one number has
-- seen all below it.
alter table events rename column seq to id;
alter table events add column seq bigint;
update events set seq = id;
create sequence event_seq owned by events.seq;
select setval('event_seq', coalesce(max(seq), 0) + 1, false) from events;
create unique index events_seq_key on events (seq);
create index events_unnumbered on events (id) where seq is null;

create table user_settings (
  user_id uuid primary key references users (id) on delete cascade,
  theme text,
  language text,
  notifications_enabled boolean,
  ocr_default_language text,
  items_per_page integer check (items_per_page between 1 and 100),
  updated_at timestamptz not null default now()
);

-- What has to leave by e-mail or webhook. Written with the notification, sent afterwards, kept so that somebody can look.
create table deliveries (
  id uuid primary key,
  notification_id uuid references notifications (id) on delete set null,
  channel text not null check (channel in ('email', 'webhook')),
  -- An e-mail address; a webhook goes to the configured one.
  recipient text,
  -- The type, the time and the data of the notification, as they leave.
  payload jsonb not null,
  state text not null default 'pending' check (state in ('pending', 'sending', 'delivered', 'failed')),
  attempts integer not null default 0 check (attempts >= 0),
  due_at timestamptz not null default now(),
  lease_until timestamptz,
  -- Raised by each claim; what a sender writes that lost its lease changes nothing.
  fence bigint not null default 0,
  last_status integer,
  last_error text,
  created_at timestamptz not null default now(),
  delivered_at timestamptz,
  check ((state = 'sending') = (lease_until is not null)),
  check ((state = 'delivered') = (delivered_at is not null))
);
create index deliveries_due on deliveries (due_at, id) where state = 'pending';
create index deliveries_leased on deliveries (lease_until) where state = 'sending';
create index deliveries_created_at_idx on deliveries (created_at desc, id desc);

-- What is wrong now; a row goes when it is right again.
create table alerts (
  component text primary key,
  level text not null check (level in ('critical', 'warning', 'info')),
  message text not null,
  raised_at timestamptz not null default now()
);
