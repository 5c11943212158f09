-- Titles, file names and labels in natural order where PostgreSQL has ICU: 2 before 10. The table is not rewritten, only the four
-- indexes of the keys are.
do $$
begin
  if not exists (select from pg_collation where collname = 'und-x-icu' and collprovider = 'i') then
    return;
  end if;
  create collation sheaf_natural (provider = icu, locale = 'und-u-kn-true');
  alter table documents alter column title_key type text collate sheaf_natural, alter column filename_key type text collate sheaf_natural;
  alter table labels alter column name_key type text collate sheaf_natural;
end $$;
