-- Where a user has signed in before: by the hash of a cookie that a browser keeps, or by an address. Failed sign-ins of strangers do not
-- hold these up.
create table known_devices (
  user_id uuid not null references users (id) on delete cascade,
  origin text not null,
  last_seen_at timestamptz not null default now(),
  primary key (user_id, origin)
);
create index known_devices_origin_idx on known_devices (origin);
