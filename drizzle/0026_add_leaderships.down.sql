drop function require_leadership(text, bigint);
drop function take_leadership(text);
drop table leaderships;
