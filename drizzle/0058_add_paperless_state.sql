-- compatible-from: 0057
-- What apps of Paperless-ngx keep here: their settings of each user, and which tasks the user has seen.
alter table documents add column is_task_acknowledged boolean not null default false;
create table paperless_ui_settings (
  user_id uuid primary key,
  content jsonb not null,
  updated_at timestamptz not null default now(),
  constraint paperless_ui_settings_user_id_users_id_fk foreign key (user_id) references users (id) on delete cascade
);
