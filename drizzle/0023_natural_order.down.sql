do $$
begin
  if not exists (select from pg_collation where collname = 'sheaf_natural') then
    return;
  end if;
  alter table documents alter column title_key type text collate "und-x-icu", alter column filename_key type text collate "und-x-icu";
  alter table labels alter column name_key type text collate "und-x-icu";
  drop collation sheaf_natural;
end $$;
