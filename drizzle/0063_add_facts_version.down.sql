-- Facts stay as they were found; which version found them is not known any more.
alter table documents drop column facts_version;
