-- Apps have the settings that they had before, and show tasks again that were acknowledged.
drop table paperless_ui_settings;
alter table documents drop column is_task_acknowledged;
