-- Which term of leadership a process of a kind works in. Whoever takes over begins the next one, and from then on no transaction of an
-- earlier term gets through.
create table leaderships (
  name text primary key,
  term bigint not null,
  taken_at timestamptz not null default now()
);

-- Begins the next term of `leader` and returns it. Waits for transactions of the term before: `require_leadership` shares their lock.
create function take_leadership(leader text) returns bigint language plpgsql as $$
declare
  next_term bigint;
begin
  perform pg_advisory_xact_lock(x'736867'::int, hashtext(leader));
  insert into leaderships (name, term) values (leader, 1)
    on conflict (name) do update set term = leaderships.term + 1, taken_at = now()
    returning term into next_term;
  return next_term;
end $$;

-- Refuses the transaction it is called in unless `expected` is still the term of `leader`, and keeps it so until the transaction ends.
-- The code is the one of a server that cannot be used now: whoever gets it tries again later, as in any outage.
create function require_leadership(leader text, expected bigint) returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(x'736867'::int, hashtext(leader));
  if not exists (select from leaderships where name = leader and term = expected) then
    raise exception 'another % has taken over', leader using errcode = '57P03';
  end if;
end $$;
