alter table documents drop column is_signed;
